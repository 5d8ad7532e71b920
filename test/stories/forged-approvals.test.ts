import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import { serviceUrlOf } from '../../src/app/database.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { createOperator, type Operator } from '../../src/exchange/operators/operator.ts'
import { halt, resume } from '../../src/exchange/settlement/halts.ts'
import { approvePayout } from '../../src/exchange/settlement/approval.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, lookup } from '../support/journey.ts'
import { needsOf } from '../support/needed.ts'
import { putInForce } from '../support/policies.ts'
import { someone, waitingPayout } from '../support/signing.ts'

let exchange: Exchange
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

/** What a person with the service's database role would do next: say that the payout may go. */
async function push({ id, payout }: { id: string; payout: string }): Promise<void> {
  await intruder.query(`update transactions set status = 'exchanging' where public_id = $1`, [id])
  await intruder.query(
    `insert into jobs (kind, key, run_at, timebase) values ('payout.due', $1, now(), 'business') on conflict do nothing`,
    [payout],
  )
}

/** That nothing of a payout has left, seconds after it was tried. */
async function assertStays({ id, payout }: { id: string; payout: string }): Promise<void> {
  await arrive(exchange, id, 'on_hold')
  const rows = await lookup<{ plan_id: bigint | null }>(exchange, `select plan_id from payouts where id = ${payout}`)
  assert.deepEqual(rows, [{ plan_id: null }])
}

describe('approvals that nobody gave', () => {
  it('count for nothing, whatever the service’s database role writes, and verify names each', async () => {
    const real = await someone(ctx())
    const held = await waitingPayout(exchange)
    const copied = await waitingPayout(exchange)
    await approvePayout(ctx(), BigInt(copied.payout), real)
    await approvePayout(ctx(), BigInt(held.payout), real)
    const stranger = '7100000000000000001'
    await intruder.query(
      `insert into operators (id, email, password_hash, role, name, created_at)
       values ($1, 'stranger@example.com', 'x', 'admin', '', now())`,
      [stranger],
    )
    const insert = `insert into approvals (kind, subject, hash, approver, at, stamp)`
    await intruder.query(`${insert} values ('payout', $1, $2, $3, now(), $4)`, [
      held.payout,
      randomBytes(32),
      `operator:${stranger}`,
      randomBytes(32),
    ])
    // A genuine row with another approver, and a genuine row of another payout.
    await intruder.query(
      `${insert} select kind, subject, hash, $2, at, stamp from approvals where kind = 'payout' and subject = $1 limit 1`,
      [held.payout, `operator:${stranger}`],
    )
    await intruder.query(
      `${insert} select kind, $2, hash, approver, at, stamp from approvals where kind = 'payout' and subject = $1`,
      [copied.payout, held.payout],
    )
    const forbidden = [
      `insert into approvals (kind, subject, approver, at, carried_over) values ('payout', '${held.payout}', 'operator:${stranger}', now(), true)`,
      `update approvals set approver = 'operator:${stranger}'`,
      'delete from approvals',
      'truncate approvals',
      'update operator_keys set operator_id = operator_id',
      'delete from operator_keys',
    ]
    for (const statement of forbidden) await assert.rejects(intruder.query(statement), /permission denied/, statement)

    await push(held)
    await assertStays(held)
    const known = (await lookup<{ role: string }>(exchange, `select role from operators where id = ${stranger}`))[0]
    assert.equal(known?.role, 'admin')
    const problems = (await verify(ctx())).join('\n')
    assert.match(problems, new RegExp(`Operator ${stranger} \\(stranger@example.com\\) was not made by the exchange`))
    const forged = problems.match(
      new RegExp(`\\(payout ${held.payout}, by [^)]*\\) was not written by the exchange`, 'g'),
    )
    assert.equal(forged?.length, 3)
  })

  it('cannot be given by an operator whom a row made, or whose role a row raised', async () => {
    const held = await waitingPayout(exchange)
    const [made, raised] = [
      await someone(ctx()),
      await createOperator(
        ctx(),
        { email: 'clerk@example.com', password: 'correct horse battery', role: 'support' },
        'test',
      ),
    ]
    await intruder.query(`update operators set role = 'admin' where id = $1`, [raised.id])
    const stranger: Operator = { ...made, id: 7_100_000_000_000_000_002n, email: 'nobody@example.com' }
    await intruder.query(
      `insert into operators (id, email, password_hash, role, name, created_at) values ($1, $2, 'x', 'admin', '', now())`,
      [stranger.id, stranger.email],
    )
    for (const operator of [stranger, { ...raised, role: 'admin' as const }]) {
      await assert.rejects(approvePayout(ctx(), BigInt(held.payout), operator), { code: 'FORBIDDEN' })
    }
    await intruder.query(`update operators set role = 'support' where id = $1`, [raised.id])
  })

  it('do not come from a worth that a row has lowered', async () => {
    const held = await waitingPayout(exchange)
    await intruder.query(
      `insert into quotes (transaction_id, number, valid_until, quote)
       select id, number + 1, valid_until, jsonb_set(quote::jsonb, '{worth}', '{"numerator": "1", "denominator": "100000"}')::json
       from quotes join transactions on transactions.id = transaction_id and number = quote_number where public_id = $1`,
      [held.id],
    )
    await intruder.query('update transactions set quote_number = quote_number + 1 where public_id = $1', [held.id])
    await push(held)
    await assertStays(held)
  })
})

describe('a policy', () => {
  const above = () =>
    (ctx().policies.at(ctx().clock.now(), 'approvals').document as { payouts: { above: string } }).payouts.above

  it('holds by its approvals: no row raises the limit, and none takes back what was approved', async () => {
    const document = { payouts: { above: '900000', currency: 'EUR' }, policies: 'one_operator' }
    await intruder.query(
      `insert into policies (kind, version, document, author, reason, proposed_at, effective_at, approved_at, approved_by)
       select 'approvals', max(version) + 1, $1, 'operator:1', 'x', now(), now() - interval '1 hour', now(), 'operator:2'
       from policies where kind = 'approvals'`,
      [JSON.stringify(document)],
    )
    await intruder.query(
      `update policies set rejected_at = now(), rejected_by = 'operator:1' where kind = 'approvals' and version = 2`,
    )
    await assert.rejects(intruder.query(`update policies set effective_at = now()`), /permission denied/)
    await intruder.query('update service_state set version = version + 1')
    await ctx().policies.reload(ctx().db)
    assert.equal(above(), '500')
    await assertStays(await waitingPayout(exchange))
    const problems = (await verify(ctx())).join('\n')
    for (const version of [2, 3]) {
      assert.match(problems, new RegExp(`Version ${version} of the policy approvals is not what its approvals say`))
    }
  })
})

it('a wish to resume that only a row says is none: home names the halt, until an operator wants to resume it', async () => {
  const { begins, ends } = needsOf(() => exchange)
  const subject = { scope: 'asset', name: 'LTC-LTC' } as const
  const operator = await someone(ctx())
  await halt(ctx(), subject, { reason: 'a drill', actor: 'test' })
  await intruder.query(`update halts set resume_by = $1, resume_at = now()`, [`operator:${operator.id}`])
  await begins('rail asset', /^LTC is not exchanged or paid out: a drill\./)
  await ends('approval resume')
  await resume(ctx(), subject, { reason: 'a drill', operator })
  await begins('approval resume', /^signer\d+@example\.com wants to resume LTC\. Another operator must agree/)
  await ends('rail asset')
  await resume(ctx(), subject, { reason: 'a drill', operator: await someone(ctx()) })
  await ends('approval resume')
})

it('a halt that a row ended is named by verify, and one that operators resumed is not', async () => {
  const [one, other] = [await someone(ctx()), await someone(ctx())]
  const why = { reason: 'a drill' }
  await halt(ctx(), { scope: 'asset', name: 'ETH-ETH' }, { ...why, actor: 'test' })
  await resume(ctx(), { scope: 'asset', name: 'ETH-ETH' }, { ...why, operator: one })
  // Halted again: who wanted to resume it before, wants so no more.
  await halt(ctx(), { scope: 'asset', name: 'ETH-ETH' }, { ...why, actor: 'test' })
  const waits = { status: 'waiting_for_second_operator' }
  assert.deepEqual(await resume(ctx(), { scope: 'asset', name: 'ETH-ETH' }, { ...why, operator: other }), waits)
  await resume(ctx(), { scope: 'asset', name: 'ETH-ETH' }, { ...why, operator: one })
  await halt(ctx(), { scope: 'asset', name: 'XRP-XRP' }, { ...why, actor: 'test' })
  await assert.rejects(intruder.query('delete from halts'), /stays so until two operators/)
  for (const change of [`name = 'LTC-LTC'`, `halted_by = 'system'`, 'since = now()'])
    await assert.rejects(intruder.query(`update halts set ${change}`), /permission denied/, change)
  await lookup(exchange, 'delete from halts')
  const problems = (await verify(ctx())).filter((line) => line.startsWith('The halt'))
  assert.deepEqual(problems, ['The halt asset:XRP-XRP is gone, and nobody has resumed it.'])
})

it('a payment that a row gave to a chain is named by verify', async () => {
  await intruder.query(`insert into chain_follows (network, family) values ('BTC', 'bitcoin')`)
  await intruder.query(
    `insert into bitcoin_payments (network, plan_key, script, amount) values ('BTC', '666', '00', 120000000)`,
  )
  const problems = (await verify(ctx())).filter((line) => line.startsWith('Payment'))
  assert.deepEqual(problems, ['Payment 666 on BTC is waiting, and no payout is behind it.'])
})
