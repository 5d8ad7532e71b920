import type { Ctx } from '../context.ts'
import { held } from '../ledger/account.ts'
import { heldBalances } from '../ledger/balance.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Rail } from '../../rails/rail.ts'
import type { StatementLine } from '../../rails/statement.ts'
import { compareItems, type Difference, nameOf, type Stated } from './compare.ts'
import * as queries from './items.sql.ts'
import { notStated, transferWindowMs, withoutTransfers } from './transfers.ts'

/** A custody account with the rails that move its money. */
export type CustodyAccount = { place: string; rails: readonly Rail[] }

export function custodyAccounts({ rails }: Pick<Ctx, 'rails'>): CustodyAccount[] {
  const byPlace = new Map<string, Rail[]>()
  for (const rail of rails.all) {
    const known = byPlace.get(rail.custodyAccount)
    if (known) known.push(rail)
    else byPlace.set(rail.custodyAccount, [rail])
  }
  return [...byPlace].map(([place, ofPlace]) => ({ place, rails: ofPlace }))
}

/** Whether every rail of an account has a statement to compare item by item. */
export const hasStatement = ({ rails }: CustodyAccount): boolean =>
  rails.every(({ statement }) => statement !== undefined)

/** How much earlier than a period its statement is read: banks book by their own calendar. */
const earlierMs = 3 * 86_400_000

export type Period = { since: Date; until: Date }

/**
 * Compares what the rails of an account state with what is booked there: everything that either side has in the period, and the
 * payments in `besides`, whose statement is read from `earliest` on. Reads the rails, so never inside a block.
 */
export async function differencesAt(
  ctx: Ctx,
  account: CustodyAccount,
  { since, until }: Period,
  { besides = [], earliest = since }: { besides?: readonly queries.ItemKey[]; earliest?: Date } = {},
): Promise<Difference[]> {
  const { db, clock } = ctx
  const { place } = account
  const begin = earliest < since ? earliest : since
  const lines = await linesOf(ctx, account, after(begin, -earlierMs))
  const inPeriod = lines.filter((line) => line.last >= since && line.first < until)
  const booked = await queries.keysBooked(db, { place, since, until })
  const keys = unique([...inPeriod, ...booked, ...besides])
  const items = await queries.itemsBooked(db, place, keys)

  // What began before the statement that was read is compared from its own beginning.
  const first = items.reduce((least, item) => (item.first < least ? item.first : least), begin)
  const all = first < begin ? await linesOf(ctx, account, after(first, -earlierMs)) : lines
  const unpaired = await unpairedAt(ctx, account, { since: begin, until }, lines)
  const names = new Set(keys.map(nameOf))
  const stated = all.filter((line) => names.has(nameOf(line)) && !unpaired.paired.has(lineOf(line)))
  const now = clock.now()
  return [
    ...compareItems(stated, items, await queries.progressOf(db, stated), now),
    ...unpaired.transfers.map((transfer) => notStated(transfer, now)),
  ]
}

/** The lines of a statement that are transfers between our accounts, and the period's transfers that have no line. */
async function unpairedAt(
  { db }: Ctx,
  { place }: CustodyAccount,
  { since, until }: Period,
  lines: readonly Stated[],
): Promise<{ paired: Set<string>; transfers: queries.BookedTransfer[] }> {
  const nearby = { place, since: after(since, -transferWindowMs), until: after(until, transferWindowMs) }
  const transfers = await queries.transfersBooked(db, nearby)
  const sizes = new Set(
    transfers.flatMap(({ asset, amount, fee }) => [amount, fee, amount + fee].map((size) => `${size} ${asset}`)),
  )
  const alike = lines.filter(({ direction, amount, asset }) => direction === 'in' && sizes.has(`${amount} ${asset}`))
  const payments = new Set((await queries.itemsBooked(db, place, unique(alike))).map(nameOf))
  const free = alike.filter((line) => !payments.has(nameOf(line)))
  const left = withoutTransfers(free, transfers)
  const unstated = new Set(left.stated)
  return {
    paired: new Set(free.filter((line) => !unstated.has(line)).map(lineOf)),
    transfers: left.transfers.filter(({ at }) => at >= since && at < until),
  }
}

const lineOf = (line: Stated): string => `${nameOf(line)} ${line.asset}`

const unique = (keys: readonly queries.ItemKey[]): queries.ItemKey[] => [
  ...new Map(keys.map((key) => [nameOf(key), key])).values(),
]

/** The statement of an account since a time, one row a payment and asset. */
async function linesOf({ db, clock }: Ctx, { rails }: CustodyAccount, since: Date): Promise<Stated[]> {
  const sums = new Map<string, Stated>()
  for (const rail of rails) {
    const lines = (await rail.statement?.({ since, until: clock.now() })) ?? []
    const references = [...new Set(lines.map(({ reference }) => reference))]
    const ours = new Set((await queries.planKeys(db, rail.name, references)).map((row) => row.plan_key))
    for (const line of lines) add(sums, rail.name, line, ours.has(line.reference))
  }
  return [...sums.values()]
}

function add(sums: Map<string, Stated>, rail: string, line: StatementLine, isPayout: boolean): void {
  const { asset, reference, at, about } = line
  const direction = isPayout ? 'out' : 'in'
  const key = isPayout ? reference : line.payment
  const name = `${nameOf({ rail, direction, key })} ${asset}`
  const sum = sums.get(name)
  if (!sum) {
    sums.set(name, { rail, direction, key, reference, asset, amount: line.amount, first: at, last: at, about })
    return
  }
  sum.amount += line.amount
  // What was added last is why it differs.
  sum.about = about
  if (at < sum.first) sum.first = at
  if (at > sum.last) sum.last = at
}

/** What an account's custodian states of an asset, and what the books say. */
export type Balance = { asset: string; stated: bigint; booked: bigint }

/** The balances of an account's assets at its custodian and in the books. */
export async function balancesAt(
  { db }: Pick<Ctx, 'db'>,
  { place, rails }: CustodyAccount,
  assets: readonly string[],
): Promise<Balance[]> {
  const [keeper] = rails
  if (!keeper) return []
  const before = await heldBalances(db)
  const stated = await Promise.all(assets.map((asset) => keeper.balance(asset)))
  const now = await heldBalances(db)
  return assets.flatMap((asset, index) => {
    const name = `${held(place)} ${asset}`
    const [was = 0n, is = 0n] = [before.get(name), now.get(name)]
    // Money that moves while it is counted is counted another time.
    return was === is ? [{ asset, stated: stated[index] ?? 0n, booked: is }] : []
  })
}
