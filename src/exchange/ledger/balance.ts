import type { Atomic, Database, Db } from '../../platform/db/sql.ts'
import { held, placeIn } from './account.ts'
import type { Entry } from './entry.ts'
import * as queries from './queries.ts'

/** An account's balance. Debits are positive, so `customer:` and `capital` are negative when we owe them. */
export async function balanceOf(db: Db, account: string, asset: string): Promise<bigint> {
  const [row] = await queries.balances(db, [account], asset)
  return row?.amount ?? 0n
}

/** The balance of every custody account, by `{account} {asset}`. */
export async function heldBalances(db: Db): Promise<Map<string, bigint>> {
  const rows = await queries.balancesLike(db, `${held('')}%`)
  return new Map(rows.map(({ account, asset, amount }) => [`${account} ${asset}`, amount]))
}

/** Adds new postings to the balance snapshot, so that reading a balance stays cheap. Safe to run at any time, concurrently. */
export const updateBalanceSnapshot = (db: Database): Promise<void> =>
  db.atomic(async (block) => {
    queries.lockSnapshot(block)
    queries.resetSnapshotAfterRestore(block)
    await queries.extendSnapshot(block)
  })

/**
 * An amount to pay out of a custody account, and the most that sending it may cost there: in the same asset, in another one (the
 * chain's native coin), or nothing.
 */
export type Claim = {
  place: string
  asset: string
  amount: bigint
  fee_asset?: string | null
  most_fee?: bigint | null
}

/** An amount of one asset at one custody account. */
type Part = { place: string; asset: string; amount: bigint }

/** A locked reserve. `covered` is the balance it counts on; `isCounted`: read from the ledger in this block. */
type Reserve = Omit<Part, 'amount'> & { covered: bigint; reserved: bigint; isCounted: boolean }

/**
 * Reserves funds for payouts, in the given order, and returns which claims were granted: amount and fee, or neither. The row of
 * each custody account and asset is locked until the block ends, always in the same order, so that parallel payouts never
 * exceed a balance. Before a claim is declined, the balance is read again from the ledger.
 */
export async function reserve(db: Atomic, claims: Claim[]): Promise<boolean[]> {
  const reserves = await lockReserves(db, sumsOf(claims.flatMap(partsOf)))
  const granted: boolean[] = []
  for (const claim of claims) {
    const parts = sumsOf(partsOf(claim)).flatMap(({ place, asset, amount }) => {
      const reserve = reserves.get(nameOf({ place, asset }))
      if (!reserve) throw new Error('A reserve could not be locked.')
      return [{ reserve, amount }]
    })
    let isGranted = true
    for (const { reserve, amount } of parts) isGranted &&= await isAvailable(db, reserve, amount)
    if (isGranted) for (const { reserve, amount } of parts) reserve.reserved += amount
    granted.push(isGranted)
  }
  for (const { place, asset, covered, reserved } of reserves.values()) {
    queries.saveReserve(db, place, asset, covered, reserved)
  }
  return granted
}

async function lockReserves(db: Atomic, parts: Part[]): Promise<Map<string, Reserve>> {
  const rows = await Promise.all(parts.map(({ place, asset }) => queries.lockReserve(db, place, asset)))
  return new Map(
    parts.flatMap(({ place, asset }, index) =>
      (rows[index] ?? []).map((row) => [nameOf({ place, asset }), { place, asset, ...row, isCounted: false }] as const),
    ),
  )
}

async function isAvailable(db: Atomic, reserve: Reserve, amount: bigint): Promise<boolean> {
  if (reserve.reserved + amount > reserve.covered && !reserve.isCounted) {
    reserve.covered = await balanceOf(db, held(reserve.place), reserve.asset)
    reserve.isCounted = true
  }
  return reserve.reserved + amount <= reserve.covered
}

/** Releases what was reserved for cancelled payouts. Locks in the same order as `reserve`. */
export function releaseReserves(db: Atomic, claims: Claim[]): void {
  for (const { place, asset, amount } of sumsOf(claims.flatMap(partsOf))) {
    queries.releaseReserve(db, place, asset, amount)
  }
}

/** A settled payout as it was reserved, and the fee that the rail really charged, in the asset paid out. */
export type SettledClaim = Claim & { fee: bigint }

/** Removes settled payouts from the reserves. Locks in the same order as `reserve`. Never refuses: the money has left. */
export function settleReserves(db: Atomic, settlements: SettledClaim[]): void {
  const left = sumsOf(settlements.map(({ place, asset, amount, fee }) => ({ place, asset, amount: amount + fee })))
  const gone = new Map(left.map((part) => [nameOf(part), part.amount]))
  for (const { place, asset, amount: promised } of sumsOf(settlements.flatMap(partsOf))) {
    queries.settleReserve(db, place, asset, { left: gone.get(nameOf({ place, asset })) ?? 0n, promised })
  }
}

/**
 * Lowers available balances by the amounts that entries move out of custody other than payouts, so that reversed money can no longer be
 * reserved once the reversal is booked. Locks in the same order as `reserve`. Never refuses: the money has left.
 */
export function lowerAvailable(db: Atomic, entries: Entry[]): void {
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

/** Sums by custody account and asset, in one fixed order, so that two blocks cannot deadlock. */
function sumsOf(parts: Part[]): Part[] {
  const sums = new Map<string, Part>()
  for (const part of parts) {
    const sum = sums.get(nameOf(part))
    if (sum) sum.amount += part.amount
    else sums.set(nameOf(part), { ...part })
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}
