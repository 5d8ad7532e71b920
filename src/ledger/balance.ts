import type { Atomic, Database, Db } from '../db/sql.ts'
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

/** An amount that someone wants to pay out of a place. */
export type Claim = { place: string; asset: string; amount: bigint }

/**
 * Reserves money for payouts, in the given order, and tells which claims are covered. The row of each place and asset is
 * locked until the block ends, always in the same order, so that parallel spends of one balance never exceed it. What is
 * not covered by the last count is counted anew from the books before it is declined.
 */
export async function reserve(db: Atomic, claims: Claim[]): Promise<boolean[]> {
  const granted: boolean[] = claims.map(() => false)
  for (const pot of potsOf(claims)) {
    const row = (await queries.lockReserve(db, pot.place, pot.asset))[0]
    if (!row) throw new Error('A reserve could not be locked.')

    let { covered, reserved } = row
    let counted = false
    for (const index of pot.claims) {
      const amount = claims[index]?.amount ?? 0n
      if (reserved + amount > covered && !counted) {
        covered = await balanceOf(db, held(pot.place), pot.asset)
        counted = true
      }
      if (reserved + amount > covered) continue
      reserved += amount
      granted[index] = true
    }
    queries.saveReserve(db, pot.place, pot.asset, covered, reserved)
  }
  return granted
}

/** Gives free what was reserved for payouts that will not be, in the same order of locks as `reserve`. */
export function releaseReserves(db: Atomic, claims: Claim[]): void {
  for (const pot of potsOf(claims)) {
    const amount = pot.claims.reduce((sum, index) => sum + (claims[index]?.amount ?? 0n), 0n)
    queries.releaseReserve(db, pot.place, pot.asset, amount)
  }
}

/** What left a place by a payout, and what the rail charged there in the same asset. */
export type Settlement = Claim & { fee: bigint }

/** Takes settled payouts off the reserves, in the same order of locks as `reserve`. Never refuses: it has happened. */
export function settleReserves(db: Atomic, settlements: Settlement[]): void {
  for (const { place, asset, claims } of potsOf(settlements)) {
    const sum = (of: (settlement: Settlement) => bigint) =>
      claims.reduce((total, index) => total + (settlements[index] ? of(settlements[index]) : 0n), 0n)
    queries.settleReserve(
      db,
      place,
      asset,
      sum(({ amount }) => amount),
      sum(({ fee }) => fee),
    )
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

/** Claims by place and asset, in one fixed order everywhere: two blocks can never wait for each other. */
function potsOf(claims: Claim[]): { place: string; asset: string; claims: number[] }[] {
  const pots = new Map<string, { place: string; asset: string; claims: number[] }>()
  for (const [index, { place, asset }] of claims.entries()) {
    const name = `${place}\n${asset}`
    const pot = pots.get(name)
    if (pot) pot.claims.push(index)
    else pots.set(name, { place, asset, claims: [index] })
  }
  return [...pots].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, pot]) => pot)
}
