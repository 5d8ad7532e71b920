import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { Destination, Fact, PayoutRail, PlanDraft } from '../../src/rails/rail.ts'

/**
 * A way out on its own stage: who is paid, and how time passes. What a rail cannot do it leaves out: it falls silent at
 * nobody's word, or nothing comes back.
 */
export type PayoutStage = {
  rail: PayoutRail
  asset: string
  /** What a proof looks like. */
  hash: RegExp
  /** Whether the wallet pays for each payout. */
  costsFee: boolean
  /** Far more than there is, in smallest units. */
  tooMuch: bigint
  /** Fresh on the rail, every time. */
  nextId(): bigint
  /** Somewhere that is nobody's of ours, fresh every time. */
  destination(): Promise<Destination> | Destination
  /** Carries what was submitted as far as it goes. */
  settle(): Promise<void>
  /** Addresses that are ours. */
  own: string[]
  /** The next answer about this destination is lost, though it is acted on. */
  fallSilent?(destination: Destination): Promise<void>
  /** Whoever got a payout sends it back; CONFLICT where nobody can, or has before. */
  sendBack?(plan: PlanDraft): Promise<void>
  /** Everything that the rail tells of what came back. */
  tellAll?(): Promise<Fact[]>
}

type Planned = PlanDraft & { destination: Destination }

const conflict = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'

/** What the cases of one rail share: its stage, once it is open, and what they do there. */
type Desk = {
  stage: PayoutStage
  planned(amount: bigint): Promise<Planned>
  balance(): Promise<bigint>
  /** What a plan that is done has cost of the asset itself. */
  feeOf(plan: PlanDraft): Promise<bigint>
}

const deskAt = (stage: PayoutStage): Desk => ({
  stage,
  planned: async (amount) => {
    const destination = await stage.destination()
    const order = { payoutId: stage.nextId(), asset: stage.asset, amount, destination }
    const [plan, ...others] = await stage.rail.prepare([order])
    assert(plan && others.length === 0)
    return { ...plan, destination }
  },
  balance: () => stage.rail.balance(stage.asset),
  feeOf: async (plan) => {
    const outcome = await stage.rail.look(plan)
    assert(outcome.state === 'done')
    const { fee } = outcome.evidence
    return fee?.asset === stage.asset ? fee.amount : 0n
  },
})

/** What every way for money to go out must keep, whoever runs it: the sandbox, a bank, a node. */
export function payoutRailContract(name: string, open: () => Promise<PayoutStage> | PayoutStage): void {
  describe(`money out by ${name}`, () => {
    let desk: Desk
    before(async () => {
      desk = deskAt(await open())
    })
    const at = (): Desk => desk
    paysOnce(at)
    paysInTrouble(at)
    knowsWhatComesBack(at)
  })
}

function paysOnce(at: () => Desk): void {
  it('pays once, however often a plan is submitted, and proves it', async () => {
    const desk = at()
    const plan = await desk.planned(500n)
    const before = await desk.balance()
    assert.notEqual((await desk.stage.rail.look(plan)).state, 'done')

    await Promise.all([desk.stage.rail.submit(plan), desk.stage.rail.submit(plan)])
    await desk.stage.rail.submit(plan)
    const soon = await desk.stage.rail.look(plan)
    assert.notEqual(soon.state, 'never')
    if (soon.state === 'pending') assert((soon.lookAgainInMs ?? 0) <= 60_000)
    await desk.stage.settle()
    const outcome = await desk.stage.rail.look(plan)
    assert(outcome.state === 'done')
    const { hash, fee } = outcome.evidence
    assert.match(hash, desk.stage.hash)
    assert.equal(fee !== undefined, desk.stage.costsFee)
    const most = desk.stage.rail.mostFee(desk.stage.asset)
    assert.equal(most?.asset, fee?.asset)
    assert((fee?.amount ?? 0n) <= (most?.amount ?? 0n), 'it costs no more than is set aside for it')
    assert.equal(before - (await desk.balance()), 500n + (await desk.feeOf(plan)))
    assert.deepEqual(await desk.stage.rail.look(plan), outcome, 'who asks again is told the same')
    await desk.stage.rail.submit(plan)
    await desk.stage.settle()
    assert.deepEqual(await desk.stage.rail.look(plan), outcome)
    assert.equal(before - (await desk.balance()), 500n + (await desk.feeOf(plan)))
  })

  it('pays two plans that are for the same', async () => {
    const desk = at()
    const plans = [await desk.planned(7n), await desk.planned(7n)]
    assert.notEqual(plans[0]?.key, plans[1]?.key)
    const before = await desk.balance()
    await Promise.all(plans.map((plan) => desk.stage.rail.submit(plan)))
    await desk.stage.settle()
    const fees = await Promise.all(plans.map(desk.feeOf))
    assert.equal(before - (await desk.balance()), 14n + (fees[0] ?? 0n) + (fees[1] ?? 0n))
  })

  it('plans the parts of a batch each for itself, and remembers nothing of what it planned', async () => {
    const desk = at()
    const orders = await Promise.all(
      [3n, 4n].map(async (amount) => ({
        payoutId: desk.stage.nextId(),
        asset: desk.stage.asset,
        amount,
        destination: await desk.stage.destination(),
      })),
    )
    const before = await desk.balance()
    const plans = await desk.stage.rail.prepare(orders)
    assert.deepEqual(
      plans.map(({ payoutId }) => payoutId),
      orders.map(({ payoutId }) => payoutId),
    )
    await desk.stage.settle()
    for (const plan of plans) assert.notEqual((await desk.stage.rail.look(plan)).state, 'done')
    assert.equal(await desk.balance(), before)
    // What was planned is paid all the same, so that no number of a wallet's is left open behind it.
    for (const plan of plans) await desk.stage.rail.submit(plan)
    await desk.stage.settle()
    for (const plan of plans) assert.equal((await desk.stage.rail.look(plan)).state, 'done')
  })
}

function paysInTrouble(at: () => Desk): void {
  it('has paid where it did not answer', async () => {
    const desk = at()
    if (!desk.stage.fallSilent) return
    const plan = await desk.planned(300n)
    const before = await desk.balance()
    await desk.stage.fallSilent(plan.destination)
    await assert.rejects(desk.stage.rail.submit(plan), (error) => !(error instanceof Refusal))
    await desk.stage.settle()
    assert.equal((await desk.stage.rail.look(plan)).state, 'done')
    await desk.stage.rail.submit(plan)
    await desk.stage.settle()
    assert.equal(before - (await desk.balance()), 300n + (await desk.feeOf(plan)))
  })

  it('never pays what it does not have, and pays the others', async () => {
    const desk = at()
    const fine = await desk.planned(11n)
    const tooMuch = await desk.planned(desk.stage.tooMuch)
    const before = await desk.balance()
    const [refused, paid] = await Promise.allSettled([desk.stage.rail.submit(tooMuch), desk.stage.rail.submit(fine)])
    if (refused?.status === 'rejected') assert(conflict(refused.reason))
    assert.equal(paid?.status, 'fulfilled')
    await desk.stage.settle()
    assert.notEqual((await desk.stage.rail.look(tooMuch)).state, 'done')
    assert.equal(before - (await desk.balance()), 11n + (await desk.feeOf(fine)))
    const again = await Promise.allSettled([desk.stage.rail.submit(tooMuch)])
    assert(again[0].status === 'fulfilled' || conflict(again[0].reason))
    assert.notEqual((await desk.stage.rail.look(tooMuch)).state, 'done')
  })
}

function knowsWhatComesBack(at: () => Desk): void {
  it('tells once that a payout has come back, and has its money again', async () => {
    const desk = at()
    if (!desk.stage.sendBack || !desk.stage.tellAll) return
    const plan = await desk.planned(900n)
    await assert.rejects(desk.stage.sendBack(plan), conflict)
    await desk.stage.rail.submit(plan)
    await desk.stage.settle()
    const before = await desk.balance()
    await desk.stage.sendBack(plan)
    await assert.rejects(desk.stage.sendBack(plan), conflict)
    const facts = await desk.stage.tellAll()
    assert.equal(facts.length, 1)
    const { kind, reference, asset, amount } = facts[0] ?? {}
    assert.deepEqual(
      { kind, reference, asset, amount },
      { kind: 'payout.returned', reference: plan.key, asset: desk.stage.asset, amount: 900n },
    )
    assert.equal(await desk.balance(), before + 900n)
  })

  it('knows where money would come back to ourselves', async () => {
    const desk = at()
    assert.equal(desk.stage.rail.owns((await desk.stage.destination()).address), false)
    for (const address of desk.stage.own) assert.equal(desk.stage.rail.owns(address), true, address)
  })
}
