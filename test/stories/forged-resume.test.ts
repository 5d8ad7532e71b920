import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import { serviceUrlOf } from '../../src/app/database.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { halt, type HaltSubject, resume } from '../../src/exchange/settlement/halts.ts'
import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { type BitcoinExchange, bitcoinPolicy, startBitcoinExchange, whileMining } from '../support/bitcoin-exchange.ts'
import { arrive, lookup, pay, read, readyToPay } from '../support/journey.ts'
import { someone } from '../support/signing.ts'
import { until } from '../support/telling.ts'

let opened: BitcoinExchange
let intruder: pg.Client

before(async () => {
  opened = await startBitcoinExchange(bitcoinPolicy('1'), [10n ** 8n])
  intruder = new pg.Client({ connectionString: serviceUrlOf(opened.exchange.ownerUrl, ctx().secrets) })
  await intruder.connect()
})
after(async () => {
  await intruder.end()
  await opened.stop()
})

const ctx = () => opened.exchange.service.composition.ctx
const signatures = async (): Promise<number> =>
  (await opened.signer.client.call<{ signatures: number }>('/status', {})).signatures
const isKnown = (name: string, isHalted: boolean) =>
  until(
    () => Promise.resolve([...ctx().halts.now().rails, ...ctx().halts.now().assets].includes(name) === isHalted),
    'the exchange to know',
  )

/** All that the service's role could write so that a halt ends: approvals, its own seal with its key, and the row itself gone. */
async function forge({ scope, name }: HaltSubject): Promise<void> {
  for (const approver of ['operator:1', 'operator:2'])
    await intruder.query(
      `insert into approvals (kind, subject, hash, approver, at, stamp)
       values ('resume', $1, $2, $3, now() + interval '1 minute', $4)`,
      [`${scope}:${name}`, randomBytes(32), approver, randomBytes(32)],
    )
  const forged = [
    `update halts set resume_by = 'operator:1', resume_at = now()`,
    `insert into halt_seals (nonce, scope, name, seal, key) values (gen_random_uuid(), '${scope}', '${name}', sha256('x'), 'x')`,
    `update halt_seals set key = 'x'`,
    `update halt_seals set name = 'other'`,
    `update halt_seals set seal = sha256('x'), key = 'x'`,
    'delete from halt_seals',
    'truncate halt_seals',
    `update halts set halted_by = 'system'`,
    'delete from halts',
    'truncate halts',
  ]
  for (const statement of forged) await intruder.query(statement).catch(() => undefined)
}

it('a seal that the exchange did not make keeps a halt until the owner ends it, and verify names it', async () => {
  const subject = { scope: 'asset', name: 'LTC-LTC' } as const
  const nonce = randomUUID()
  await halt(ctx(), subject, { reason: 'a drill', actor: 'test' })
  await intruder.query(
    `insert into halt_seals (nonce, scope, name, seal) values ($1, 'asset', 'LTC-LTC', sha256('x'))`,
    [nonce],
  )
  const why = { reason: 'the drill is over' }
  await resume(ctx(), subject, { ...why, operator: await someone(ctx()) })
  const second = { ...why, operator: await someone(ctx()) }
  await assert.rejects(resume(ctx(), subject, second), (error: { code?: string; message: string }) => {
    return error.code === 'CONFLICT' && error.message.includes(`did not make the seal ${nonce} of this halt`)
  })
  const named = (await verify(ctx())).filter((line) => line.startsWith('The seal'))
  assert.deepEqual(named, [`The seal ${nonce} of the halt asset:LTC-LTC was not made by the exchange.`])
  await lookup(opened.exchange, `delete from halt_seals where nonce = '${nonce}'`)
  assert.deepEqual(await resume(ctx(), subject, second), { status: 'resumed' })
})

describe('a halt that forged approvals would end', () => {
  for (const subject of [
    { scope: 'rail', name: 'btc' },
    { scope: 'asset', name: 'BTC-BTC' },
  ] as const) {
    it(`of the ${subject.scope} stays, and pays nothing until two operators resume it`, async () => {
      const payout = { payout_address: makeSandboxAddress('bitcoin', Buffer.from(subject.scope)) }
      const { id } = await readyToPay(opened.exchange, { to_currency: 'BTC', payout_info: payout })
      // Written before the operator halts, so that the operator's halt would only renew it.
      await intruder.query(
        `insert into halts (scope, name, since, reason, halted_by) values ($1, $2, now(), 'a drill', 'system')`,
        [subject.scope, subject.name],
      )
      await halt(ctx(), subject, { reason: 'a drill', actor: 'test' })
      const before = await signatures()
      await pay(opened.exchange, id)
      const hasCome = async () => (await read(opened.exchange, id)).status !== 'waiting_for_deposit'
      await until(hasCome, 'the money to come')
      await forge(subject)
      const known = await lookup<{ scope: string }>(opened.exchange, 'select scope from halts')
      assert.deepEqual(known, [{ scope: subject.scope }])
      await ctx().halts.refresh(ctx().db)
      await isKnown(subject.name, true)
      assert.equal(await signatures(), before)

      const why = { reason: 'the drill is over' }
      assert.deepEqual(await resume(ctx(), subject, { ...why, operator: await someone(ctx()) }), {
        status: 'waiting_for_second_operator',
      })
      assert.equal(await signatures(), before)
      assert.deepEqual(await resume(ctx(), subject, { ...why, operator: await someone(ctx()) }), { status: 'resumed' })
      await whileMining(opened.node, () => arrive(opened.exchange, id, 'finished'))
      assert.equal(await signatures(), before + 1)
    })
  }
})
