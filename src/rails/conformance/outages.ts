import assert from 'node:assert/strict'

import type { RailEvent } from '../rail.ts'
import { type DepositSetup, instructed, itWith, newEvents, type PayoutSetup, type RailHarness } from './harness.ts'
import { feeOf, prepared, units } from './prepared.ts'

export type Outage = Required<Pick<RailHarness, 'goDown' | 'comeBack'>>

const outageOf = ({ goDown, comeBack }: RailHarness): Outage | undefined =>
  goDown && comeBack ? { goDown, comeBack } : undefined

/** An answer of a rail whose provider is away: none, or what was known before. */
const silenced = <Result>(asked: Promise<Result> | undefined): Promise<Result | undefined> =>
  Promise.resolve(asked).catch(() => undefined)

/** A provider that is away: a payment is paid once afterwards, and nothing is taken for never paid meanwhile. */
export function testPayoutOutages(setup: () => PayoutSetup): void {
  itWith(
    'calls no payment never paid while its provider is away, and pays each once when it is back',
    () => outageOf(setup()),
    (outage) => paysOnceAcross(setup(), outage),
  )
}

/** What a rail whose provider is away calls never paid must not be paid later by itself; what it was given must not be called so. */
export async function paysOnceAcross(setup: PayoutSetup, { goDown, comeBack }: Outage): Promise<void> {
  const { payout, payouts, rail, reopen, settle } = setup
  const amounts = [61n, 62n, 63n].map((count) => units(setup, count))
  const plans = await Promise.all(amounts.map((amount) => prepared(setup, amount)))
  const [given, unheard, refused] = plans
  assert(given && unheard && refused)
  const balance = await rail.balance(payouts.asset)
  await payout.submit(given)
  if (payouts.loseAnswer) await payouts.loseAnswer(unheard.destination)
  await silenced(payout.submit(unheard))
  await goDown()
  await silenced(payout.submit(refused))
  const other = (await silenced(Promise.resolve(reopen())))?.payout ?? payout
  for (const half of [payout, other])
    for (const plan of [given, unheard]) {
      const outcome = await silenced(half.look(plan))
      assert.notEqual(outcome?.state, 'never', 'an outage proves nothing about a payment')
    }
  const isNever = (await silenced(payout.look(refused)))?.state === 'never'
  await comeBack()
  await settle()
  if (isNever) assert.notEqual((await payout.look(refused)).state, 'done', 'it was called never paid')
  for (const plan of plans) await payout.submit(plan)
  await settle()
  let paid = 0n
  for (const [index, plan] of plans.entries()) {
    assert.equal((await payout.look(plan)).state, 'done')
    paid += (amounts[index] ?? 0n) + (await feeOf(setup, plan))
  }
  assert.equal(balance - (await rail.balance(payouts.asset)), paid)
}

/** A deposit that comes while the provider is away: neither lost nor reported twice, and no made-up balance. */
export function testDepositOutages(setup: () => DepositSetup): void {
  itWith(
    'reports a payment from before an outage once, and gives no other balance while its provider is away',
    () => outageOf(setup()),
    async ({ goDown, comeBack }) => {
      const { rail, deposit, deposits, report, settle } = setup()
      const one = await instructed(setup())
      await report()
      const known = await rail.balance(deposits.asset)
      await deposits.pay(one)
      await goDown()
      const seen: RailEvent[] = (await silenced(report())) ?? []
      const looked = (await silenced(deposit.look(one.reference))) ?? []
      assert(
        looked.every(({ kind }) => kind.startsWith('deposit_') && kind !== 'deposit_declined'),
        'an outage says nothing against a payment',
      )
      const balance = (await silenced(rail.balance(deposits.asset))) ?? known
      assert([known, known + deposits.amount].includes(balance), `balance ${balance} where ${known} were known`)
      await comeBack()
      await settle()
      seen.push(...newEvents(seen, await report()))
      seen.push(...newEvents(seen, await deposit.look(one.reference)))
      const final = seen.filter(({ kind, reference }) => kind === 'deposit_final' && reference === one.reference)
      assert.equal(final.length, 1)
      assert.equal(await rail.balance(deposits.asset), known + deposits.amount)
    },
  )
}
