import type { SignerRefusal } from '../../keys/signer.ts'
import type { Chain } from '../chain.ts'
import { mostFee } from './fees.ts'
import type { WaitingPayment } from './queries.ts'
import { type Selection, selectCoins, type SpendableCoin, sumOf } from './select.ts'

/** Payments that leave together, and what their transfer spends. */
export type Batch = { payments: WaitingPayment[]; selection: Selection }

/**
 * As many of the payouts that wait, in their order, as the coins suffice for, without the largest where they do not. The fee is within what the payouts have reserved: where
 * the inputs would cost more, the rate is lower, and where that is less than nodes relay, the payouts wait.
 */
export function affordable(
  chain: Chain,
  { coins, waiting, rate }: { coins: SpendableCoin[]; waiting: WaitingPayment[]; rate: bigint },
): Batch | undefined {
  const { rules, wallet } = chain
  const total = sumOf(coins)
  let payments: WaitingPayment[] = []
  let sum = 0n
  for (const one of waiting) {
    if (sum + one.amount >= total) continue
    sum += one.amount
    payments.push(one)
  }
  while (payments.length > 0) {
    const most = mostFee(chain) * BigInt(payments.length)
    const at = (used: bigint) => selectCoins(rules, { coins, payments, rate: used, changeScript: wallet.script })
    const first = at(rate)
    const selection = first && first.fee > most ? at(most / BigInt(first.size)) : first
    const isRelayed = selection && selection.fee <= most && selection.fee >= rules.rate.least * BigInt(selection.size)
    if (isRelayed) return { payments, selection }
    const largest = payments.reduce((most, one) => (one.amount > most.amount ? one : most))
    payments = payments.filter((one) => one !== largest)
  }
  return undefined
}

/**
 * The payouts of a refused batch that are refused by themselves, and those that are tried next. A batch above the caps is filled up to what they leave; one
 * that is refused as a whole is halved.
 */
export function sift(
  { payments, selection: { fee } }: Batch,
  { code, payouts, room }: SignerRefusal,
): { refused: WaitingPayment[]; rest: WaitingPayment[] } {
  const isOne = payments.length === 1
  if (code === 'cap' && room !== undefined && !isOne) {
    // A cap for a class of destinations is not about the others.
    const others = payments.filter(({ payout }) => !payouts.includes(payout))
    const meant = payments.filter(({ payout }) => payouts.includes(payout))
    const refused = meant.filter(({ amount }) => amount >= room)
    const possible = meant.filter(({ amount }) => amount < room)
    const fitting: WaitingPayment[] = []
    for (const one of possible) if (sumOf([...fitting, one]) + fee <= room) fitting.push(one)
    const smallest = possible.toSorted((one, other) => (one.amount < other.amount ? -1 : 1)).slice(0, 1)
    const rest = [...others, ...(fitting.length + others.length === 0 ? smallest : fitting)]
    return { refused, rest: rest.length === payments.length ? rest.slice(0, -1) : rest }
  }
  const refused = payments.filter(({ payout }) => payouts.includes(payout))
  if (code !== 'cap' && refused.length > 0) return { refused, rest: payments.filter((one) => !refused.includes(one)) }
  return isOne
    ? { refused: payments, rest: [] }
    : { refused: [], rest: payments.slice(0, Math.ceil(payments.length / 2)) }
}
