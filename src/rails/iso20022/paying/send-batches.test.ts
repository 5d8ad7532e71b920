import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { type BankWorld, openBankWorld } from '../../../../test/support/bank-world.ts'
import { strayPayments } from '../../../exchange/checks/verify-payments.ts'
import { followBankOnce } from '../follow.ts'
import { payouts } from '../payouts.ts'
import { takeLease } from '../lease.ts'
import { folderOutbox, type Outbox } from './outbox.ts'
import { formBatch, lastCutoff, publishBatches } from './send-batches.ts'

let world: BankWorld
let ids = 0n

before(async () => {
  world = await openBankWorld()
})
after(() => world.close())

const destination = { address: 'DE89370400440532013000', extraId: 'COBADEFFXXX', holder: 'Jürgen Müller & Söhne' }

async function submitted(count = 3): Promise<string[]> {
  const half = payouts(world.bank)
  const orders = Array.from({ length: count }, () => ({
    payoutId: (ids += 1n),
    asset: 'EUR-EUR',
    amount: 1_000n,
    destination,
  }))
  const plans = await half.prepare(orders)
  for (const plan of plans) await half.submit(plan)
  return plans.map(({ key }) => key)
}

/** Every payment of the files that have appeared, each as often as it is ordered. */
const orderedOnce = (keys: string[]): void => {
  const all = world.outside.collect().map(({ endToEndId }) => endToEndId)
  assert.deepEqual(all.toSorted(), keys.toSorted())
}

class Crash extends Error {}

/** An outbox whose process dies right before or after one of its steps. */
function dying(at: 'put' | 'publish', when: 'before' | 'after'): Outbox {
  const real = folderOutbox(world.bank.outFolder)
  const die = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    if (when === 'after') await act()
    throw new Crash()
  }
  return {
    ...real,
    put: (name, bytes) => (at === 'put' ? die(() => real.put(name, bytes)) : real.put(name, bytes)),
    publish: (from, to) => (at === 'publish' ? die(() => real.publish(from, to)) : real.publish(from, to)),
  }
}

for (const [at, when] of [
  ['put', 'before'],
  ['put', 'after'],
  ['publish', 'before'],
  ['publish', 'after'],
] as const) {
  for (const collects of [false, true]) {
    const bank = collects ? 'the bank has taken what had appeared' : 'the bank has taken nothing'
    test(`a process dies ${when} it does "${at}", and ${bank}: every payment is in one file`, async () => {
      const keys = await submitted()
      const { holder } = world.follower
      await takeLease(world.bank.db, 'bank-1', { holder, now: new Date(), until: new Date(Date.now() + 60_000) })
      assert.equal(await formBatch(world.bank, holder, world.follower.reports), true)
      await assert.rejects(publishBatches(world.bank, dying(at, when)), Crash)
      const early = collects ? world.outside.collect() : []
      const { follower } = await world.reopen()
      await publishBatches(follower.bank, follower.outbox)
      await publishBatches(world.bank, world.follower.outbox)
      const late = world.outside.collect()
      assert.deepEqual([...early, ...late].map(({ endToEndId }) => endToEndId).toSorted(), keys.toSorted())
    })
  }
}

test('a process dies after it has stored the file: the next one lets the same file appear', async () => {
  const keys = await submitted()
  const { holder } = world.follower
  await takeLease(world.bank.db, 'bank-1', { holder, now: new Date(), until: new Date(Date.now() + 60_000) })
  await formBatch(world.bank, holder, world.follower.reports)
  await followBankOnce(world.follower)
  orderedOnce(keys)
})

test('two processes publish at once: one file', async () => {
  const keys = await submitted()
  const { holder } = world.follower
  await takeLease(world.bank.db, 'bank-1', { holder, now: new Date(), until: new Date(Date.now() + 60_000) })
  await formBatch(world.bank, holder, world.follower.reports)
  const others = await Promise.all([1, 2, 3].map(() => world.reopen()))
  await Promise.all(others.map(({ follower }) => publishBatches(follower.bank, follower.outbox)))
  await publishBatches(world.bank, world.follower.outbox)
  orderedOnce(keys)
})

test('who has lost the lease stores no file', async () => {
  const keys = await submitted(1)
  await assert.rejects(formBatch(world.bank, 'somebody else', world.follower.reports))
  await world.round()
  orderedOnce(keys)
})

test('a payment that its payee holds is in no file, keeps back no other, and leaves once later', async () => {
  const [held = '', ...others] = await submitted()
  world.heldPayees.add(held)
  await world.round()
  orderedOnce(others)
  await world.round()
  orderedOnce([])
  world.heldPayees.clear()
  await world.round()
  await world.round()
  orderedOnce([held])
})

test('nothing leaves while payouts are halted, not even a file that is stored', async () => {
  const halt = () => world.ctx.db.sql`
    insert into halts (scope, name, since, reason, halted_by) values ('rail', 'bank-1', now(), 'test', 'system')`
  const resume = () => world.ctx.db.sql`delete from halts`
  const keys = await submitted(1)
  await halt()
  await world.round()
  orderedOnce([])
  await resume()
  const { holder } = world.follower
  await formBatch(world.bank, holder, world.follower.reports)
  await halt()
  await world.round()
  orderedOnce([])
  await resume()
  await world.round()
  orderedOnce(keys)
})

test('files for the bank have a name that follows from their payments; everything else is hidden', async () => {
  await submitted(1)
  await world.round()
  const names = readdirSync(join(world.folder, 'out'))
  const hidden = names.filter((name) => name.startsWith('.'))
  assert(hidden.every((name) => name.endsWith('.part')))
  const visible = names.filter((name) => !hidden.includes(name))
  assert.deepEqual(
    visible.map((name) => /^pain001-CB[0-9A-F]{24}\.xml$/.test(name)),
    [true],
  )
  world.outside.collect()
})

test('with cut-off times, what was submitted before the last one leaves', () => {
  const at = (text: string): Date => new Date(`2026-03-02T${text}:00Z`)
  const cutoffs = [9 * 60 + 30, 14 * 60]
  for (const [now, last] of [
    ['09:29', '2026-03-01T14:00:00.000Z'],
    ['09:30', '2026-03-02T09:30:00.000Z'],
    ['13:59', '2026-03-02T09:30:00.000Z'],
    ['23:00', '2026-03-02T14:00:00.000Z'],
  ] as const) {
    assert.equal(lastCutoff(cutoffs, at(now)).toISOString(), last)
  }
  assert.equal(lastCutoff([], at('09:29')).toISOString(), at('09:29').toISOString())
})

test('a payment of a bank is in one file only, whatever the role of the service asks for', async () => {
  const keys = await submitted(2)
  await followBankOnce(world.follower)
  orderedOnce(keys)
  const refused = /stays so/
  const { db } = world.bank
  await assert.rejects(
    db.sql`update iso20022_payments set state = 'queued', batch_id = null, part = null where key = any(${keys}::text[])`,
    refused,
  )
  await assert.rejects(db.sql`update iso20022_batches set sent_at = null`, refused)
  await assert.rejects(db.sql`update iso20022_batches set staged_as = 'other' where staged_as is not null`, refused)
})

test('payments and files that somebody wrote into the database do not leave, are named, and keep nothing back', async () => {
  const { db } = world.bank
  await db.sql`
    insert into iso20022_payments (rail, key, asset, amount, body, submitted_at)
    select 'bank-1', 'CB-666-' || number, 'EUR-EUR', 500000, '\\x00', now() - interval '1 day' from generate_series(1, 3) as number`
  await db.sql`
    insert into iso20022_batches (rail, message_id, name, checksum, bytes, created_at)
    values ('bank-1', 'forged', 'forged.xml', 'x', '\\x00', now() - interval '1 day')`
  const keys = await submitted(2)
  await world.round()
  orderedOnce(keys)
  const named = await strayPayments(db)
  for (const key of ['CB-666-1', 'CB-666-2', 'CB-666-3'])
    assert.ok(named.includes(`Payment ${key} on bank-1 is queued, and no payout is behind it.`), named.join())
  assert.ok(named.includes('The payment file forged.xml of bank-1 has no payment of ours.'), named.join())
})
