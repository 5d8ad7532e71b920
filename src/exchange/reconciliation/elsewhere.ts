import { suspenseDeposits } from '../settlement/deposit.ts'
import type { Ctx } from '../context.ts'
import type { FoundBreak } from './breaks.sql.ts'

/** How far apart both sides of a transfer between own accounts may be, in milliseconds. */
const apartMs = 7 * 86_400_000

/** The most money in suspense that is looked at. */
const most = 1_000

/**
 * Names what is at another account: what is booked at one and stated at another, and what left one for no order while as much arrived
 * at another and lies in suspense, such as a processor's payout to our bank.
 */
export async function namedElsewhere(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  found: FoundBreak[],
): Promise<FoundBreak[]> {
  const isLeaving = ({ kind, amount, cause }: FoundBreak): boolean =>
    kind === 'not_booked' && amount < 0n && cause === 'not_ours'
  const arrived = found.some(isLeaving) ? await suspenseDeposits(db, most) : []
  const since = clock.now().getTime() - apartMs
  return found.map((one) => {
    const index = isLeaving(one)
      ? arrived.findIndex(
          ({ asset, amount, at }) => asset === one.asset && amount === -one.amount && at.getTime() >= since,
        )
      : -1
    // Money that arrived once is the other side of one break.
    if (index !== -1) arrived.splice(index, 1)
    return index !== -1 || found.some((other) => isOtherSide(one, other)) ? { ...one, cause: 'other_account' } : one
  })
}

const isOtherSide = (one: FoundBreak, other: FoundBreak): boolean =>
  one.account !== other.account &&
  one.asset === other.asset &&
  one.amount === -other.amount &&
  ((one.kind === 'not_stated' && other.kind === 'not_booked') ||
    (one.kind === 'not_booked' && other.kind === 'not_stated'))
