import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { DepositRail, Fact, InstructionOrder, PayoutRail, PayTo } from '../../src/rails/rail.ts'

/** What somebody is told to pay, and where. */
export type Told = InstructionOrder & { reference: string; payTo: PayTo }

/**
 * A way in on its own stage: who pays, and how time passes. What a rail cannot do it leaves out: nobody takes coins back,
 * and a node brings no callbacks. Times and confirmations are the stage's: `tellAll` comes back when nothing is on its way.
 */
export type DepositStage = {
  rail: DepositRail
  /** The way out that holds the same money, by which the balance is seen to move; undefined where none does. */
  holder: PayoutRail | undefined
  category: string
  asset: string
  /** What is paid each time, in smallest units. */
  amount: bigint
  /** Fresh on the rail, every time. */
  nextId(): bigint
  /** Somebody pays what they were told; gives the rail's id of the payment. */
  pay(told: Told): Promise<{ id: string }>
  /** Everything that the rail tells until all payments are there for good, in the order of its coming. */
  tellAll(): Promise<Fact[]>
  /** Pays out of a purse that many persons share, where there are such. */
  payPooled?(told: Told): Promise<{ id: string }>
  duplicate?(told: Told): Promise<void>
  unknownWord?(told: Told): Promise<void>
  takeBack?(told: Told): Promise<void>
  decline?(told: Told): Promise<void>
  /** Carries a plan of the way back as far as it goes. */
  settlePayout(): Promise<void>
}

const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

/** What the cases of one rail share: its stage, once it is open, and what they do there. */
type Desk = {
  stage: DepositStage
  orderOf(amount?: bigint): InstructionOrder
  /** Somebody is told what to pay. */
  told(): Promise<Told>
  balance(): Promise<bigint>
}

function deskAt(stage: DepositStage): Desk {
  const orderOf = (amount = stage.amount): InstructionOrder => {
    const { category, asset } = stage
    return { id: stage.nextId(), category, asset, amount }
  }
  return {
    stage,
    orderOf,
    told: async () => {
      const order = orderOf()
      return { ...order, ...(await stage.rail.instruct(order)) }
    },
    balance: async () => (await stage.holder?.balance(stage.asset)) ?? 0n,
  }
}

const finalOf = (facts: Fact[]): Fact[] => facts.filter(({ kind }) => kind === 'deposit.final')

/** What every way for money to come in must keep, whoever runs it: the sandbox, a bank, a node. */
export function depositRailContract(name: string, open: () => Promise<DepositStage> | DepositStage): void {
  describe(`money in by ${name}`, () => {
    let desk: Desk
    before(async () => {
      desk = deskAt(await open())
    })
    const at = (): Desk => desk
    tellsOfPayments(at)
    knowsTheWayBack(at)
    tellsWhatElseHappens(at)
    believesNobody(at)
  })
}

function tellsOfPayments(at: () => Desk): void {
  it('tells each customer a place of their own, and the same one to whoever asks again', async () => {
    const desk = at()
    const order = desk.orderOf(1n)
    const first = await desk.stage.rail.instruct(order)
    const again = await desk.stage.rail.instruct(order)
    const other = await desk.stage.rail.instruct(desk.orderOf(1n))
    assert.notEqual(first.reference, other.reference)
    assert.deepEqual(again.payTo, first.payTo)
    if (first.payTo.kind !== 'page') assert.equal(again.reference, first.reference)
  })

  it('tells of a payment under our reference, once each, and in the end that it is there for good', async () => {
    const desk = at()
    const one = await desk.told()
    assert.deepEqual(await desk.stage.rail.look(one.reference), [])
    const held = await desk.balance()
    const { id } = await desk.stage.pay(one)
    const facts = await desk.stage.tellAll()

    assert.equal(finalOf(facts).length, 1)
    assert.equal(facts.at(-1)?.kind, 'deposit.final')
    assert.equal(new Set(facts.map(({ key }) => key)).size, facts.length)
    for (const { reference, payment, asset, amount, body } of facts) {
      assert.deepEqual(
        { reference, payment, asset, amount },
        { reference: one.reference, payment: id, asset: desk.stage.asset, amount: desk.stage.amount },
      )
      assert.deepEqual(Object.keys(body), ['payment', 'status'], 'nothing else that a person wrote comes along')
    }
    assert.deepEqual(await desk.stage.rail.look(one.reference), facts, 'who asks is told the same, under the same keys')
    assert.equal(await desk.balance(), desk.stage.holder ? held + desk.stage.amount : 0n)
    assert.deepEqual(await desk.stage.tellAll(), [])
  })

  it('tells two payments where a customer can pay twice, and one where not', async () => {
    const desk = at()
    const one = await desk.told()
    await Promise.all([desk.stage.pay(one), desk.stage.pay(one)])
    const final = finalOf(await desk.stage.tellAll())
    assert.equal(new Set(final.map(({ payment }) => payment)).size, one.payTo.kind === 'page' ? 1 : 2)
  })
}

function knowsTheWayBack(at: () => Desk): void {
  it('knows how a payment goes back the way it came, the same each time, and pays it back there', async () => {
    const desk = at()
    const one = await desk.told()
    const { id } = await desk.stage.pay(one)
    await desk.stage.tellAll()
    const origin = await desk.stage.rail.origin(id)
    assert(origin !== 'unknown')
    assert.equal(origin.rail.place, desk.stage.rail.place)
    assert.equal(origin.rail.owns(origin.destination.address), false)
    assert.notEqual(origin.destination.address, '')
    assert.deepEqual(await desk.stage.rail.origin(id), origin)

    const held = await desk.balance()
    const order = { payoutId: desk.stage.nextId(), asset: desk.stage.asset, amount: desk.stage.amount - 5n }
    const [plan] = await origin.rail.prepare([{ ...order, destination: origin.destination }])
    assert(plan)
    await origin.rail.submit(plan)
    await desk.stage.settlePayout()
    const outcome = await origin.rail.look(plan)
    assert(outcome.state === 'done')
    const { fee } = outcome.evidence
    const cost = fee?.asset === desk.stage.asset ? fee.amount : 0n
    assert.equal(await desk.balance(), desk.stage.holder ? held - order.amount - cost : 0n)
  })

  it('pays nothing back to somebody whom it does not know', async () => {
    const desk = at()
    for (const payment of ['', 'nothing', 'pay_1', 'bnk_999999999', '0'.repeat(64), `0x${'0'.repeat(64)}`]) {
      assert.equal(await desk.stage.rail.origin(payment), 'unknown', payment)
    }
    if (!desk.stage.payPooled) return
    const { id } = await desk.stage.payPooled(await desk.told())
    await desk.stage.tellAll()
    assert.equal(await desk.stage.rail.origin(id), 'unknown')
  })
}

function tellsWhatElseHappens(at: () => Desk): void {
  it('tells again what was told last, under the same key', async () => {
    const desk = at()
    if (!desk.stage.duplicate) return
    const one = await desk.told()
    await assert.rejects(desk.stage.duplicate(one), conflict)
    await desk.stage.pay(one)
    const last = (await desk.stage.tellAll()).at(-1)
    await desk.stage.duplicate(one)
    assert.deepEqual(await desk.stage.tellAll(), [last])
  })

  it('makes nothing of a word that nobody has met', async () => {
    const desk = at()
    if (!desk.stage.unknownWord) return
    const one = await desk.told()
    await desk.stage.pay(one)
    const last = (await desk.stage.tellAll()).at(-1)
    await desk.stage.unknownWord(one)
    const [fact] = await desk.stage.tellAll()
    assert(last && fact)
    assert.deepEqual({ ...fact, key: '', body: {} }, { ...last, kind: 'other', key: '', body: {} })
    assert.notEqual(fact.key, last.key)
  })

  it('takes back what a customer may take back, and says so once', async () => {
    const desk = at()
    if (!desk.stage.takeBack) return
    const one = await desk.told()
    await assert.rejects(desk.stage.takeBack(one), conflict)
    await desk.stage.pay(one)
    const [final] = finalOf(await desk.stage.tellAll())
    const held = await desk.balance()
    await desk.stage.takeBack(one)
    const [fact, ...others] = await desk.stage.tellAll()
    assert.equal(others.length, 0)
    assert.equal(fact?.kind, 'deposit.reversed')
    assert.equal(fact?.payment, final?.payment)
    assert.notEqual(fact?.key, final?.key)
    assert.equal(fact?.key, (await desk.stage.rail.look(one.reference)).at(-1)?.key)
    assert.equal(await desk.balance(), desk.stage.holder ? held - desk.stage.amount : 0n)
    await assert.rejects(desk.stage.takeBack(one), conflict)
  })

  it('says of an attempt that came to nothing why, and holds nothing', async () => {
    const desk = at()
    if (!desk.stage.decline) return
    const one = await desk.told()
    const held = await desk.balance()
    await desk.stage.decline(one)
    assert.equal(await desk.balance(), held)
    const [fact] = await desk.stage.tellAll()
    assert.equal(fact?.kind, 'deposit.declined')
    assert.match(fact?.body.reason ?? '', /declined|refused/)
  })
}

function believesNobody(at: () => Desk): void {
  it('believes no callback that does not prove who sent it', () => {
    const desk = at()
    for (const body of ['', '{}', '[]', 'null', '{"event":"x"}']) {
      for (const headers of [{}, { 'x-processor-signature': '0'.repeat(64) }]) {
        assert.throws(
          () => desk.stage.rail.readCallback(body, headers),
          (error) => error instanceof Refusal && error.code === 'SIGNATURE_INVALID',
        )
      }
    }
  })
}
