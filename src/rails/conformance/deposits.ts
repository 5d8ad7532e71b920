import assert from 'node:assert/strict'
import { it } from 'node:test'

import type { Rail, RailEvent } from '../rail.ts'
import { type DepositSetup, instructed, isConflict, itWith, newEvents, orderOf } from './harness.ts'

const finalOf = (events: RailEvent[]): RailEvent[] => events.filter(({ kind }) => kind === 'deposit_final')

/** What a rail's statement says of one payment in all; undefined for a rail without statements. */
async function statedOf(rail: Rail, payment: string, asset: string): Promise<bigint | undefined> {
  const lines = await rail.statement?.({ since: new Date(0), until: new Date('2100-01-01T00:00:00Z') })
  const own = lines?.filter((line) => line.payment === payment && line.asset === asset)
  return own?.reduce((sum, { amount }) => sum + amount, 0n)
}

/** Deposits: instructions, events, look-ups. */
export function testDeposits(setup: () => DepositSetup): void {
  it('gives each order its own reference, and the same one when asked again', async () => {
    const { deposit } = setup()
    const order = orderOf(setup(), 1n)
    const first = await deposit.instruct(order)
    const again = await deposit.instruct(order)
    const other = await deposit.instruct(orderOf(setup(), 1n))
    assert.notEqual(first.reference, other.reference)
    assert.deepEqual(again.payTo, first.payTo)
    if (first.payTo.kind !== 'page') assert.equal(again.reference, first.reference)
    assert.equal(first.payTo.kind === 'page', deposit.open !== undefined, '`open` belongs to rails with a page')
  })

  it('reports a payment under our reference, each event once, and in the end as final', async () => {
    const { rail, deposit, deposits, report } = setup()
    const one = await instructed(setup())
    assert.deepEqual(await deposit.look(one.reference), [])
    const held = await rail.balance(deposits.asset)
    const { id } = await deposits.pay(one)
    const events = await report()

    assert.equal(finalOf(events).length, 1)
    assert.equal(events.at(-1)?.kind, 'deposit_final')
    assert.equal(new Set(events.map(({ key }) => key)).size, events.length)
    for (const { reference, payment, asset, amount, body } of events) {
      assert.deepEqual(
        { reference, payment, asset, amount },
        { reference: one.reference, payment: id, asset: deposits.asset, amount: deposits.amount },
      )
      const known = ['payment', 'status', ...(deposits.bodyFields ?? [])]
      assert.deepEqual(
        Object.keys(body).filter((field) => !known.includes(field)),
        [],
        'nothing that a person wrote is passed on',
      )
    }
    assert.equal(await rail.balance(deposits.asset), held + deposits.amount)
    assert.equal(await statedOf(rail, id, deposits.asset), rail.statement && deposits.amount)
    assert.deepEqual(await report(), [])
  })

  it('finds the same events by a look-up, after its callbacks were lost', async () => {
    const { deposit, deposits, report, callbacks, settle } = setup()
    const [heard, lost] = [await instructed(setup()), await instructed(setup())]
    await deposits.pay(heard)
    const events = await report()
    assert.deepEqual(await deposit.look(heard.reference), events)

    await deposits.pay(lost)
    if (callbacks) await callbacks.take()
    else await report()
    await settle()
    const found = await deposit.look(lost.reference)
    assert.equal(finalOf(found).length, 1)
    assert.deepEqual(
      found.map(({ kind }) => kind),
      events.map(({ kind }) => kind),
    )
  })

  it('reports two payments where a customer can pay twice, and one where not', async () => {
    const { deposits, report } = setup()
    const one = await instructed(setup())
    await Promise.all([deposits.pay(one), deposits.pay(one)])
    const final = finalOf(await report())
    assert.equal(new Set(final.map(({ payment }) => payment)).size, one.payTo.kind === 'page' ? 1 : 2)
  })
}

/** What else happens to deposits: duplicates, unknown statuses, reversals, declines. */
export function testDepositTroubles(setup: () => DepositSetup): void {
  itWith(
    'repeats an event under the same key',
    () => setup().deposits.duplicate,
    async (duplicate) => {
      const { deposits, report } = setup()
      const one = await instructed(setup())
      await assert.rejects(duplicate(one), isConflict)
      await deposits.pay(one)
      const last = (await report()).at(-1)
      await duplicate(one)
      assert.deepEqual(await report(), [last])
    },
  )

  itWith(
    'reports an unknown status as unknown, under a new key',
    () => setup().deposits.reportUnknown,
    async (reportUnknown) => {
      const { deposits, report } = setup()
      const one = await instructed(setup())
      await deposits.pay(one)
      const last = (await report()).at(-1)
      await reportUnknown(one)
      const [event] = await report()
      assert(last && event)
      assert.deepEqual({ ...event, key: '', body: {} }, { ...last, kind: 'unknown', key: '', body: {} })
      assert.notEqual(event.key, last.key)
    },
  )

  itWith(
    'reports a reversal once, and holds the money no longer',
    () => setup().deposits.reverse,
    async (reverse) => {
      const { rail, deposit, deposits, report } = setup()
      const one = await instructed(setup())
      await assert.rejects(reverse(one), isConflict)
      await deposits.pay(one)
      const known = await report()
      const [final] = finalOf(known)
      const held = await rail.balance(deposits.asset)
      await reverse(one)
      const [event, ...others] = newEvents(known, await report())
      assert.equal(others.length, 0)
      assert.equal(event?.kind, deposits.voids ? 'deposit_withdrawn' : 'deposit_reversed')
      assert.equal(event?.payment, final?.payment)
      assert.notEqual(event?.key, final?.key)
      assert.equal(event?.key, (await deposit.look(one.reference)).at(-1)?.key)
      assert.equal(await rail.balance(deposits.asset), held - deposits.amount)
      assert.equal(await statedOf(rail, event?.payment ?? '', deposits.asset), rail.statement && 0n)
      await assert.rejects(reverse(one), isConflict)
    },
  )

  itWith(
    'reports why an attempt to pay failed, and holds nothing',
    () => setup().deposits.decline,
    async (decline) => {
      const { rail, deposits, report } = setup()
      const one = await instructed(setup())
      const held = await rail.balance(deposits.asset)
      await decline(one)
      assert.equal(await rail.balance(deposits.asset), held)
      const [event] = await report()
      assert.equal(event?.kind, 'deposit_declined')
      assert.match(event?.body.reason ?? '', /declined|refused/)
    },
  )
}

/** Where a customer pays, and the way back of a payment. */
export function testOrigins(setup: () => DepositSetup): void {
  itWith(
    'opens its page at an origin that it declares',
    () => setup().deposit.open,
    (open) => opensAtItsOrigin(setup(), open),
  )

  it('knows where a payment goes back to, the same each time, and pays it back there', async () => {
    const { rail, deposit, deposits, report, settle, nextId } = setup()
    const { id } = await deposits.pay(await instructed(setup()))
    await report()
    const destination = await deposit.origin(id)
    if (!rail.payout) return assert.equal(destination, 'unknown', 'a rail without payouts sends nothing back')
    if (deposits.sharedSenders) return assert.equal(destination, 'unknown', 'nothing goes to an account of many')
    assert(destination !== 'unknown')
    assert.equal(rail.payout.owns(destination.address), false)
    assert.notEqual(destination.address, '')
    assert.deepEqual(await deposit.origin(id), destination)

    const held = await rail.balance(deposits.asset)
    const order = { payoutId: nextId(), asset: deposits.asset, amount: deposits.amount - 5n, destination }
    const [plan] = await rail.payout.prepare([order])
    assert(plan)
    await rail.payout.submit(plan)
    await settle()
    const outcome = await rail.payout.look(plan)
    assert(outcome.state === 'done')
    const { fee } = outcome.evidence
    const cost = fee?.asset === deposits.asset ? fee.amount : 0n
    assert.equal(await rail.balance(deposits.asset), held - order.amount - cost)
  })

  it('names no origin where the sender is not certain', async () => {
    const { deposit } = setup()
    for (const payment of ['', 'nothing', 'pay_1', 'bnk_999999999', '0'.repeat(64), `0x${'0'.repeat(64)}`]) {
      assert.equal(await deposit.origin(payment), 'unknown', payment)
    }
  })

  itWith(
    'names no origin where a wallet of many has paid',
    () => setup().deposits.payPooled,
    async (payPooled) => {
      const { deposit, report } = setup()
      const { id } = await payPooled(await instructed(setup()))
      await report()
      assert.equal(await deposit.origin(id), 'unknown')
    },
  )
}

async function opensAtItsOrigin(
  setup: DepositSetup,
  open: NonNullable<DepositSetup['deposit']['open']>,
): Promise<void> {
  const { deposit, deposits } = setup
  const { reference } = await instructed(setup)
  const { category } = orderOf(setup, 1n)
  const { asset, amount } = deposits
  const order = { reference, asset, amount, category, returnUrl: 'https://exchange.example/', locale: 'en' }
  const { payAt } = await open(order)
  assert(deposit.pageOrigins?.().includes(new URL(payAt).origin), 'the checkout lets customers go to no other page')
}
