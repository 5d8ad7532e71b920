import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'

import { openBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { until } from '../../../test/support/telling.ts'
import { account } from '../../../test/support/xrpl-ledger.ts'
import { openXrplWorld } from '../../../test/support/xrpl-world.ts'
import type { Atomic, Database } from '../../platform/db/sql.ts'
import { scriptOf } from '../../reference/addresses/output-script.ts'
import { insertPayment as insertBitcoin, waitingPayments as waitingBitcoin } from '../bitcoin/sending/queries.ts'
import type { PayoutHalf, PlanDraft } from '../rail.ts'
import { insertPayment as insertXrpl, waitingPayments as waitingXrpl } from '../xrpl/sending/queries.ts'
import { keepEnded, lockPayout } from './ended.ts'

/** A chain whose payments wait for a transfer: how it stores one, and those that it would send. */
type Sending = {
  db: Database
  network: string
  payout: PayoutHalf
  order: { asset: string; amount: bigint; address: string }
  insert(block: Atomic, key: string): Promise<unknown>
  waiting(): Promise<unknown[]>
  close(): Promise<void>
}

async function onBitcoin(): Promise<Sending> {
  const { db, one, customer, close } = await openBitcoinWorld()
  const { network, forms } = one.chain
  const address = customer.address
  const script = scriptOf(address, forms) ?? assert.fail()
  return {
    db,
    network: network.code,
    payout: one.payout,
    order: { asset: 'BTC-BTC', amount: 10_000n, address },
    insert: (block, key) =>
      insertBitcoin(block, network.code, { key, script, amount: 10_000n, stamp: Buffer.alloc(32) }),
    waiting: () => waitingBitcoin(db, network.code, { now: new Date(), below: 10n ** 30n, limit: 9 }),
    close,
  }
}

async function onXrpl(): Promise<Sending> {
  const { db, one, end } = await openXrplWorld()
  const { network, asset } = one.chain
  const recipient = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
  assert.notEqual(recipient, account)
  return {
    db,
    network: network.code,
    payout: one.rail.payout ?? assert.fail(),
    order: { asset, amount: 5n, address: recipient },
    insert: (block, key) =>
      insertXrpl(block, network.code, { key, recipient, tag: null, amount: 5n, stamp: Buffer.alloc(32) }),
    waiting: () => waitingXrpl(db, network.code, { now: new Date(), after: 0n, limit: 9 }),
    close: end,
  }
}

for (const [name, open] of [
  ['Bitcoin', onBitcoin],
  ['the XRP Ledger', onXrpl],
] as const) {
  describe(`a payout on ${name}`, () => {
    let sending: Sending
    let plan: PlanDraft

    beforeEach(async () => {
      sending = await open()
      const { asset, amount, address } = sending.order
      const destination = { address, extraId: '', holder: '' }
      const [prepared] = await sending.payout.prepare([{ payoutId: 1n, asset, amount, destination }])
      plan = prepared ?? assert.fail()
    })
    afterEach(() => sending.close())

    /** Does `later` while a block that has done `first` is not committed: until `later` waits for it, or has passed it. */
    async function meanwhile(first: (block: Atomic) => unknown, later: () => Promise<void>): Promise<void> {
      const { db, network } = sending
      let work: Promise<void> | undefined
      let hasPassed = false
      await db.atomic(async (block) => {
        lockPayout(block, network, plan.key)
        await first(block)
        await block.sql`select 1`
        work = later().finally(() => (hasPassed = true))
        await until(async () => {
          const waits = await db.sql`select 1 from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`
          return hasPassed || waits.length > 0
        }, 'a block that waits for the other')
      })
      await work
    }

    it('that is ended while it is submitted is not taken up', async () => {
      const { db, network, payout, waiting } = sending
      await meanwhile(
        (block) => keepEnded(block, network, plan.key),
        () => payout.submit(plan),
      )
      assert.deepEqual(await waiting(), [])
      assert.deepEqual(await payout.look(plan), { state: 'never' })
      assert.equal((await db.sql`select 1 from chain_ended where plan_key = ${plan.key}`).length, 1)
    })

    it('that is submitted while it is ended ends', async () => {
      const { payout, insert, waiting } = sending
      await meanwhile(
        (block) => insert(block, plan.key),
        () => payout.end?.(plan, 'end') ?? assert.fail(),
      )
      assert.deepEqual(await payout.look(plan), { state: 'never' })
      assert.deepEqual(await waiting(), [])
    })

    it('that is known as ended is not sent, even where it waits', async () => {
      const { db, network, insert, waiting } = sending
      await db.atomic(async (block) => {
        await insert(block, plan.key)
        keepEnded(block, network, plan.key)
      })
      assert.deepEqual(await waiting(), [])
    })
  })
}
