import type { Atomic, Database, Db } from '../../platform/db/sql.ts'
import { held, placeIn } from './account.ts'
import type { Entry } from './entry.ts'
import * as queries from './queries.ts'

export { exchangesOf, owedForExchanges, postingsOf, sentBy } from './queries.ts'

/** What an account holds of an asset, debits counting up (so `customer:` and `capital` are negative when we owe them). */
export async function balanceOf(db: Db, account: string, asset: string): Promise<bigint> {
  const [row] = await queries.balances(db, [account], asset)
  return row?.amount ?? 0n
}

/** What every place holds, by `{account} {asset}`. */
export async function heldBalances(db: Db): Promise<Map<string, bigint>> {
  const rows = await queries.balancesLike(db, `${held('')}%`)
  return new Map(rows.map(({ account, asset, amount }) => [`${account} ${asset}`, amount]))
}

/** Adds what is new to the folded balances, so that reading one stays cheap. Safe to run at any time, by anyone. */
export const foldBalances = (db: Database): Promise<void> =>
  db.atomic(async (block) => {
    queries.lockFold(block)
    queries.startAnewAfterRestore(block)
    await queries.fold(block)
  })

/**
 * An amount that someone wants to pay out of a place, and what carrying it out may cost there at most: in the same asset or another
 * one (the coin that a chain takes for its transfers), or nothing.
 */
export type Claim = {
  place: string
  asset: string
  amount: bigint
  fee_asset?: string | null
  most_fee?: bigint | null
}

/** What claims come to at one place in one asset. */
type Part = { place: string; asset: string; amount: bigint }

/** What is reserved of an asset at a place, and what it counts on; `isCounted`: as the books say in this block. */
type Pot = Omit<Part, 'amount'> & { covered: bigint; reserved: bigint; isCounted: boolean }

/**
 * Reserves money for payouts, in the given order, and tells which claims are covered: amount and fee, or nothing of it. The row of
 * each place and asset is locked until the block ends, always in the same order, so that parallel spends of one balance never
 * exceed it. What is not covered by the last count is counted anew from the books before it is declined.
 */
export async function reserve(db: Atomic, claims: Claim[]): Promise<boolean[]> {
  const pots = await lockPots(db, sumsOf(claims.flatMap(partsOf)))
  const granted: boolean[] = []
  for (const claim of claims) {
    const parts = sumsOf(partsOf(claim)).flatMap(({ place, asset, amount }) => {
      const pot = pots.get(nameOf({ place, asset }))
      if (!pot) throw new Error('A reserve could not be locked.')
      return [{ pot, amount }]
    })
    let isCovered = true
    for (const { pot, amount } of parts) isCovered &&= await hasRoom(db, pot, amount)
    if (isCovered) for (const { pot, amount } of parts) pot.reserved += amount
    granted.push(isCovered)
  }
  for (const { place, asset, covered, reserved } of pots.values()) {
    queries.saveReserve(db, place, asset, covered, reserved)
  }
  return granted
}

async function lockPots(db: Atomic, parts: Part[]): Promise<Map<string, Pot>> {
  const rows = await Promise.all(parts.map(({ place, asset }) => queries.lockReserve(db, place, asset)))
  return new Map(
    parts.flatMap(({ place, asset }, index) =>
      (rows[index] ?? []).map((row) => [nameOf({ place, asset }), { place, asset, ...row, isCounted: false }] as const),
    ),
  )
}

async function hasRoom(db: Atomic, pot: Pot, amount: bigint): Promise<boolean> {
  if (pot.reserved + amount > pot.covered && !pot.isCounted) {
    pot.covered = await balanceOf(db, held(pot.place), pot.asset)
    pot.isCounted = true
  }
  return pot.reserved + amount <= pot.covered
}

/** Gives free what was reserved for payouts that will not be, in the same order of locks as `reserve`. */
export function releaseReserves(db: Atomic, claims: Claim[]): void {
  for (const { place, asset, amount } of sumsOf(claims.flatMap(partsOf))) {
    queries.releaseReserve(db, place, asset, amount)
  }
}

/** What left a place, as it was reserved, and what the rail really charged there in the asset that left. */
export type Settlement = Claim & { fee: bigint }

/** Takes settled payouts off the reserves, in the same order of locks as `reserve`. Never refuses: it has happened. */
export function settleReserves(db: Atomic, settlements: Settlement[]): void {
  const left = sumsOf(settlements.map(({ place, asset, amount, fee }) => ({ place, asset, amount: amount + fee })))
  const gone = new Map(left.map((part) => [nameOf(part), part.amount]))
  for (const { place, asset, amount: promised } of sumsOf(settlements.flatMap(partsOf))) {
    queries.settleReserve(db, place, asset, { left: gone.get(nameOf({ place, asset })) ?? 0n, promised })
  }
}

/**
 * Takes off what places are counted to hold whatever entries book out of them other than by payouts, in the same order of locks
 * as `reserve`: what was taken back is promised to nobody, from the block on that books it. Never refuses: it has happened.
 */
export function lowerCover(db: Atomic, entries: Entry[]): void {
  const taken = entries
    .filter(({ kind }) => kind !== 'payout_settled')
    .flatMap(({ postings }) =>
      postings.flatMap(({ credit, asset, amount }) => {
        const place = placeIn(credit)
        return place === undefined ? [] : [{ place, asset, amount: 0n, fee: amount }]
      }),
    )
  if (taken.length > 0) settleReserves(db, taken)
}

const nameOf = ({ place, asset }: Omit<Part, 'amount'>): string => `${place}\n${asset}`

const partsOf = ({ place, asset, amount, fee_asset: feeAsset, most_fee: mostFee }: Claim): Part[] => [
  { place, asset, amount },
  ...(feeAsset && mostFee ? [{ place, asset: feeAsset, amount: mostFee }] : []),
]

/** Parts by place and asset, in one fixed order everywhere: two blocks can never wait for each other. */
function sumsOf(parts: Part[]): Part[] {
  const sums = new Map<string, Part>()
  for (const part of parts) {
    const sum = sums.get(nameOf(part))
    if (sum) sum.amount += part.amount
    else sums.set(nameOf(part), { ...part })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}
