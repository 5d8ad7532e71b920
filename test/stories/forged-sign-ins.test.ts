import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'

import { base32 } from '@scure/base'
import pg from 'pg'

import { serviceUrlOf } from '../../src/app/database.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { acceptInvitation, inviteOperator, revokeInvitation } from '../../src/exchange/operators/invitation.ts'
import {
  beginSecondFactor,
  changeRole,
  confirmSecondFactor,
  disableOperator,
  enableOperator,
  type Operator,
} from '../../src/exchange/operators/operator.ts'
import { signIn } from '../../src/exchange/operators/sign-in.ts'
import { createToken, operatorOfToken } from '../../src/exchange/operators/token.ts'
import { totpCode } from '../../src/exchange/operators/totp.ts'
import { approvePayout } from '../../src/exchange/settlement/approval.ts'
import { hashPassword } from '../../src/exchange/sign-in/password.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { someone, waitingPayout } from '../support/signing.ts'
import { staffBrowser } from '../support/staff-browser.ts'

const password = 'correct horse battery'
let exchange: Exchange
/** Somebody with the service's database role. */
let intruder: pg.Client

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(ctx(), { kind: 'approvals', document })
  intruder = new pg.Client({ connectionString: serviceUrlOf(exchange.ownerUrl, ctx().secrets) })
  await intruder.connect()
})
after(async () => {
  await intruder.end()
  await exchange.stop()
})

const ctx = () => exchange.service.composition.ctx
const { ask, signIn: pressSignIn } = staffBrowser(() => exchange)
const sha256 = (text: string): string => hash('sha256', text, 'hex')
let numbers = 8_100_000_000_000_000_000n
const nextId = () => String((numbers += 1n))

/** What is typed at the console, without a second factor unless given. */
const typed = (email: string, more: { password?: string; code?: string; pending?: string } = {}) =>
  signIn(ctx(), {
    email,
    password,
    code: undefined,
    pending: undefined,
    device: undefined,
    network: '192.0.2',
    agent: 'test',
    ...more,
  })
const problems = async (): Promise<string> => (await verify(ctx())).join('\n')

async function secondFactorOf({ id, email }: Operator): Promise<{ code(): string; sealed: Buffer }> {
  const { text } = await beginSecondFactor(ctx(), { operatorId: id, email })
  const secret = Buffer.from(base32.decode(text))
  const step = () => BigInt(Math.trunc(Date.now() / 30_000))
  await confirmSecondFactor(ctx(), id, totpCode(secret, step() - 1n))
  const [row] = await lookup<{ sealed: Buffer }>(
    exchange,
    `select totp_secret as sealed from operators where id = ${id}`,
  )
  return { code: () => totpCode(secret, step()), sealed: row?.sealed ?? assert.fail() }
}

describe('what the service’s database role writes to sign in with', () => {
  it('is no session: two of two operators approve no payout', async () => {
    const held = await waitingPayout(exchange)
    for (const { id } of [await someone(ctx()), await someone(ctx())]) {
      const [token, session] = [randomBytes(32).toString('base64url'), nextId()]
      await intruder.query(
        `insert into operator_sessions (id, hash, operator_id, network, agent, created_at, last_used_at)
         values ($1, $2, $3, '192.0.2', 'test', now(), now())`,
        [session, sha256(token), id],
      )
      const { headers, status } = await ask('/console/money', { cookie: `console=${token}` })
      assert.deepEqual([status, (headers.get('location') ?? '').split('?')[0]], [303, '/console/sign-in'])
      assert.match(await problems(), new RegExp(`Session ${session} of operator ${id} was not begun by the exchange`))
    }
    const [row] = await lookup<{ plan_id: unknown }>(exchange, `select plan_id from payouts where id = ${held.payout}`)
    assert.deepEqual(row, { plan_id: null })
  })

  it('is no session with the stamp of another, and what has ended stays so', async () => {
    const [own, other] = [await someone(ctx()), await someone(ctx())]
    const cookie = await pressSignIn(own.email, { password })
    await intruder.query(
      `insert into operator_sessions (id, hash, operator_id, network, agent, created_at, last_used_at, stamp)
       select $1, $2, $3, network, agent, created_at, now(), stamp from operator_sessions where operator_id = $4`,
      [nextId(), sha256('copied'), other.id, own.id],
    )
    assert.equal((await ask('/console', { cookie: 'console=copied' })).status, 303)
    for (const statement of [
      `update operator_sessions set operator_id = ${other.id} where operator_id = ${own.id}`,
      `delete from operator_sessions where operator_id = ${own.id}`,
      `update operator_tokens set operator_id = ${other.id}`,
      `delete from operator_tokens`,
      `update operator_invitations set role = 'admin'`,
      `delete from operator_invitations`,
    ])
      await assert.rejects(intruder.query(statement), /permission denied/, statement)
    assert.equal((await ask('/console', { cookie })).status, 200)
    await intruder.query('update operator_sessions set ended_at = now() where operator_id = $1', [own.id])
    const again = 'update operator_sessions set ended_at = null where operator_id = $1'
    await assert.rejects(intruder.query(again, [own.id]), /stays so/)
  })

  it('is no token', async () => {
    const { id } = await someone(ctx())
    const [text, token] = [`op_${randomBytes(32).toString('base64url')}`, nextId()]
    await intruder.query(
      `insert into operator_tokens (id, operator_id, hash, hint, created_at) values ($1, $2, $3, 'abcd', now())`,
      [token, id, sha256(text)],
    )
    await assert.rejects(operatorOfToken(ctx(), text), { code: 'INVALID_TOKEN' })
    assert.match(await problems(), new RegExp(`Token ${token} of operator ${id} was not made by the exchange`))
    const carried = `insert into operator_tokens (id, operator_id, hash, hint, created_at, carried_over) values (1, ${id}, 'x', 'abcd', now(), true)`
    await assert.rejects(intruder.query(carried), /permission denied/)
  })

  it('is no invitation, and one that was taken back stays so', async () => {
    const token = randomBytes(32).toString('base64url')
    await intruder.query(
      `insert into operator_invitations (hash, email, name, role, invited_by, created_at)
       values ($1, 'guest@example.com', '', 'admin', 'operator:1', now())`,
      [sha256(token)],
    )
    assert.equal((await ask(`/console/invitation/${token}`)).status, 404)
    await assert.rejects(acceptInvitation(ctx(), token, password), { code: 'NOT_FOUND' })
    assert.match(await problems(), /The invitation of guest@example\.com was not made by the exchange/)

    const { url } = await inviteOperator(ctx(), { email: 'late@example.com', name: '', role: 'admin' }, 'test')
    await revokeInvitation(ctx(), 'late@example.com', 'test')
    const again = `update operator_invitations set used_at = null where email = 'late@example.com'`
    await assert.rejects(intruder.query(again), /stays so/)
    await assert.rejects(acceptInvitation(ctx(), url.split('/').at(-1) ?? '', password), { code: 'NOT_FOUND' })
  })

  it('is no right password', async () => {
    const { id, email } = await someone(ctx())
    const pending = randomBytes(32).toString('base64url')
    await intruder.query(`insert into pending_sign_ins (hash, operator_id, created_at) values ($1, $2, now())`, [
      sha256(pending),
      id,
    ])
    await assert.rejects(typed(email, { password: '', pending }), { code: 'INVALID_TOKEN' })
    assert.match(await problems(), new RegExp(`The password of operator ${id} was said to be right by a row`))
  })
})

describe('an operator', () => {
  it('whose password a row changed signs in with neither, approves nothing, and stays so until it is changed back', async () => {
    const held = await waitingPayout(exchange)
    const operator = await someone(ctx())
    const { id, email } = operator
    const cookie = await pressSignIn(email, { password })
    const token = (await createToken(ctx(), email, 'test')).text
    const [own] = await lookup<{ password_hash: string }>(
      exchange,
      `select password_hash from operators where id = ${id}`,
    )
    const forged = await hashPassword('another horse here')
    const set = 'update operators set password_hash = $2 where id = $1'
    await intruder.query(set, [id, forged])
    const named = new RegExp(
      `Operator ${id} \\(${email}\\) was not made by the exchange, or was changed behind its back`,
    )
    const isRefused = async () => {
      await assert.rejects(typed(email, { password: 'another horse here' }), { code: 'INVALID_TOKEN' })
      assert.equal((await ask('/console', { cookie })).status, 303)
      await assert.rejects(operatorOfToken(ctx(), token), { code: 'INVALID_TOKEN' })
      await assert.rejects(approvePayout(ctx(), BigInt(held.payout), operator), { code: 'FORBIDDEN' })
      assert.match(await problems(), named)
    }
    await isRefused()
    // No later act of a colleague vouches for what the row says.
    await assert.rejects(changeRole(ctx(), email, 'finance', 'test'), { code: 'CONFLICT' })
    await disableOperator(ctx(), email, 'test')
    await assert.rejects(enableOperator(ctx(), email, 'test'), { code: 'CONFLICT' })
    await lookup(exchange, `update operators set disabled_at = null where id = ${id}`)
    await isRefused()
    await lookup(exchange, `update operators set password_hash = $2 where id = $1`, [id, own?.password_hash])
    await approvePayout(ctx(), BigInt(held.payout), operator)
    assert.ok('token' in (await typed(email)))
    assert.doesNotMatch(await problems(), named)
  })

  it('whose second factor a row removed or replaced does not sign in', async () => {
    const operator = await someone(ctx())
    const { id, email } = operator
    const first = await secondFactorOf(operator)
    const own = await lookup<{ totp_step: bigint; totp_secret: Buffer }>(
      exchange,
      `select totp_step, totp_secret from operators where id = ${id}`,
    )
    const named = new RegExp(
      `Operator ${id} \\(${email}\\) was not made by the exchange, or was changed behind its back`,
    )
    for (const gone of ['totp_step = null', 'totp_secret = null', 'totp_secret = null, totp_step = null']) {
      await intruder.query(`update operators set ${gone} where id = $1`, [id])
      await assert.rejects(typed(email), { code: 'INVALID_TOKEN' })
      assert.match(await problems(), named)
      await lookup(exchange, `update operators set totp_step = $2, totp_secret = $3 where id = $1`, [
        id,
        String(own[0]?.totp_step),
        own[0]?.totp_secret,
      ])
    }
    assert.ok('token' in (await typed(email, { code: first.code() })))
    // Another person with a factor, and an earlier secret of the same one, which opens.
    const other = await someone(ctx())
    const { sealed } = await secondFactorOf(other)
    const earlier = await lookup<{ totp_secret: Buffer }>(
      exchange,
      `select totp_secret from operators where id = ${id}`,
    )
    await lookup(exchange, `update operators set totp_secret = null, totp_step = null where id = ${id}`)
    await beginSecondFactor(ctx(), { operatorId: id, email })
    const [begun] = await lookup<{ totp_secret: Buffer }>(
      exchange,
      `select totp_secret from operators where id = ${id}`,
    )
    for (const secret of [sealed, begun?.totp_secret]) {
      await intruder.query('update operators set totp_secret = $2, totp_step = 1 where id = $1', [id, secret])
      await assert.rejects(typed(email, { code: first.code() }), { code: 'INVALID_TOKEN' })
      assert.match(await problems(), named)
    }
    await lookup(exchange, 'update operators set totp_secret = $2 where id = $1', [id, earlier[0]?.totp_secret])
    assert.doesNotMatch(await problems(), named)
  })

  it('of before passwords and factors were stamped counts as the migration found it', async () => {
    const text = readFileSync('migrations/0155-stamps-of-sign-ins.sql', 'utf8')
    const [carry = ''] = /insert into approvals[^;]*;/.exec(text) ?? []
    const operator = await someone(ctx())
    const { id, email } = operator
    await secondFactorOf(operator)
    await lookup(exchange, `delete from approvals where kind = 'operator' and subject = '${id}'`)
    const before = `insert into approvals (kind, subject, approver, at, carried_over) values ('operator', '${id}', 'system', now(), true)`
    await lookup(exchange, before)
    const named = new RegExp(`Operator ${id} `)
    assert.match(await problems(), named)
    await lookup(exchange, carry.replace('from operators', `from operators where id = ${id}`))
    assert.doesNotMatch(await problems(), named)
    await intruder.query(`update operators set password_hash = 'x' || password_hash where id = $1`, [id])
    assert.match(await problems(), named)
    await intruder.query(`update operators set password_hash = substr(password_hash, 2) where id = $1`, [id])
    await changeRole(ctx(), email, 'finance', 'test')
    assert.doesNotMatch(await problems(), named)
    await intruder.query(`update operators set role = 'admin' where id = $1`, [id])
    assert.match(await problems(), named)
  })
})
