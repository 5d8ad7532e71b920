import type { Ctx } from '../context.ts'
import { placeIn } from '../ledger/account.ts'
import { heldBalances } from '../ledger/balance.ts'
import { after } from '../../platform/lib/clock.ts'
import {
  type Balance,
  balancesAt,
  type CustodyAccount,
  custodyAccounts,
  differencesAt,
  hasStatement,
  type Period,
} from './account.ts'
import * as queries from './breaks.sql.ts'
import { type Difference, nameOf } from './compare.ts'
import { type ItemKey, type Moving, movingAt } from './items.sql.ts'

/** What a comparison found: the open breaks, and what is only on its way. */
export type Reconciled = { breaks: queries.BreakRow[]; onItsWay: Difference[] }

const defaultDays = 30
const dayMs = 86_400_000

/** The last 30 days until now. */
const lastDays = ({ clock }: Pick<Ctx, 'clock'>): Period => ({
  since: after(clock.now(), -defaultDays * dayMs),
  until: clock.now(),
})

/**
 * Compares every custody account with the statements of who holds it, item by item, and every balance. Stores what differs and is
 * not only on its way, notes what was found before, and clears what is gone. A difference that a person resolved stays resolved as
 * long as it stays the same. Asks the rails, so never inside a block.
 */
export async function reconcile(ctx: Ctx, period: Period = lastDays(ctx)): Promise<Reconciled> {
  const accounts = custodyAccounts(ctx)
  const places = accounts.map(({ place }) => place)
  const before = await queries.standing(ctx.db, places)
  const found: queries.FoundBreak[] = []
  const onItsWay: Difference[] = []
  const unknown: string[] = []
  for (const account of accounts) {
    const known = before.filter((one) => one.account === account.place)
    const seen = await comparedUntilSame(ctx, account, period, known)
    onItsWay.push(...seen.differences.filter((one) => one.isOnItsWay))
    found.push(...seen.differences.filter((one) => !one.isOnItsWay).map((one) => asBreak(account, one)))
    for (const [asset, amount] of seen.rests) {
      if (amount === undefined) unknown.push(balanceOf(account.place, asset))
      else if (amount !== 0n) {
        const cause = hasStatement(account) ? 'unexplained' : 'no_statement'
        const owner = ownerOf(account)
        found.push({ account: account.place, asset, kind: 'balance', key: '', amount, cause, owner })
      }
    }
  }
  const kept = (one: queries.BreakRow): boolean =>
    !before.some(({ id }) => id === one.id) ||
    (one.kind === 'balance' && unknown.includes(balanceOf(one.account, one.asset)))
  return { breaks: await store(ctx, places, found, kept), onItsWay }
}

/** Every asset that the books have at an account. */
async function assetsAt({ db }: Ctx, { place }: CustodyAccount): Promise<string[]> {
  return [...(await heldBalances(db)).keys()].flatMap((name) => {
    const [account = '', asset = ''] = name.split(' ')
    return placeIn(account) === place ? [asset] : []
  })
}

const balanceOf = (place: string, asset: string): string => `${place} ${asset}`

/** How often, and how many real milliseconds apart, an account whose balance differs is compared again. */
const looks = 4
const lookAgainMs = 400
/** How many comparisons in a row must leave the same. Without a statement, for longer than a chain is looked at by default. */
const sameLooks = { stated: 1, unstated: 8 }
/** How long before it was found a break may have begun. */
const foundWithinMs = 34 * dayMs

/** The differences of an account's items, and of each balance what they do not explain; undefined where money moved meanwhile. */
type Compared = { differences: Difference[]; rests: Map<string, bigint | undefined> }

/** Compares an account until each rest was the same in comparisons in a row: a callback may come between two readings. */
async function comparedUntilSame(
  ctx: Ctx,
  account: CustodyAccount,
  period: Period,
  known: readonly queries.BreakRow[],
): Promise<Compared> {
  const { stated, unstated } = sameLooks
  const needed = hasStatement(account) ? stated : unstated
  let last = await compared(ctx, account, period, known)
  let same = new Map<string, number>()
  const isClear = ([asset, rest]: [string, bigint | undefined]): boolean =>
    rest === 0n || (same.get(asset) ?? 0) >= (rest === undefined ? stated : needed)
  for (let look = 1; look < looks + needed && ![...last.rests].every(isClear); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
    const next = await compared(ctx, account, period, known)
    same = new Map(
      [...next.rests].map(([asset, rest]) => [asset, rest === last.rests.get(asset) ? (same.get(asset) ?? 0) + 1 : 0]),
    )
    last = next
  }
  const rests = new Map([...last.rests].map((one) => [one[0], isClear(one) ? one[1] : undefined]))
  return { ...last, rests }
}

/** How long after a chain has seen money it is booked at the latest. */
const bookedWithinMs = dayMs

const movingNow = ({ db, clock }: Ctx, { place, rails }: CustodyAccount): Promise<Moving[]> =>
  movingAt(db, { place, rails: rails.map(({ name }) => name), since: after(clock.now(), -bookedWithinMs) })

async function compared(
  ctx: Ctx,
  account: CustodyAccount,
  period: Period,
  known: readonly queries.BreakRow[],
): Promise<Compared> {
  const items = known.filter(({ kind }) => kind !== 'balance')
  const earliest = items.reduce((least, one) => {
    const from = after(one.found_at, -foundWithinMs)
    return from < least ? from : least
  }, period.since)
  const differences = hasStatement(account)
    ? await differencesAt(ctx, account, period, { besides: items.flatMap(keyOf), earliest })
    : []
  const rests = new Map<string, bigint | undefined>()
  const assets = await assetsAt(ctx, account)
  // A statement names what is not booked yet; of an account without one, the rest must be on its way.
  const moving = hasStatement(account) ? [] : await movingNow(ctx, account)
  const balances = await balancesAt(ctx, account, assets)
  for (const asset of assets) {
    const resolved = known.filter((one) => one.asset === asset && one.kind === 'balance' && one.state === 'resolved')
    const explained = sum(differences.filter((one) => one.asset === asset)) + sum(resolved)
    const balance = balances.find((one) => one.asset === asset)
    const rest = balance && restOf(balance) - explained
    const most = moving.find((one) => one.asset === asset)
    rests.set(asset, rest !== undefined && most && isMoving(rest, most) ? undefined : rest)
  }
  return { differences, rests }
}

/** Whether what moves at an account explains a rest. */
const isMoving = (rest: bigint, { incoming, outgoing }: Moving): boolean =>
  rest !== 0n && rest <= incoming && -rest <= outgoing

const restOf = ({ stated, booked }: Balance): bigint => stated - booked
const sum = (list: readonly { amount: bigint }[]): bigint => list.reduce((total, { amount }) => total + amount, 0n)

const asBreak = (account: CustodyAccount, { asset, kind, amount, cause, ...key }: Difference): queries.FoundBreak => ({
  account: account.place,
  asset,
  kind,
  key: nameOf(key),
  amount,
  cause,
  owner: ownerOf(account),
})

/** Chains are looked after by operations, banks and processors by finance. */
const ownerOf = ({ rails }: CustodyAccount): queries.BreakOwner =>
  rails.some(({ serves }) => serves.some(({ categories }) => categories.includes('CRYPTO'))) ? 'operations' : 'finance'

function keyOf({ key }: queries.BreakRow): ItemKey[] {
  const [rail = '', direction, ...rest] = key.split(' ')
  return direction === 'in' || direction === 'out' ? [{ rail, direction, key: rest.join(' ') }] : []
}

const sameness = (one: Pick<queries.BreakRow, 'account' | 'asset' | 'kind' | 'key' | 'amount'>): string =>
  [one.account, one.asset, one.kind, one.key, one.amount].join('\n')

/** Stores what was found, and gives every break that is open now. */
async function store(
  ctx: Ctx,
  places: string[],
  found: queries.FoundBreak[],
  isKept: (one: queries.BreakRow) => boolean,
): Promise<queries.BreakRow[]> {
  const { db, clock, rowIds } = ctx
  const at = clock.now()
  const ids = await Promise.all(found.map(() => rowIds.next()))
  await db.atomic(async (block) => {
    queries.lockBreaks(block)
    // A resolved balance is subtracted before: the same amount found again is another loss.
    const standing = await queries.standing(block, places)
    const known = new Map(
      standing.filter((one) => one.state === 'open' || one.kind !== 'balance').map((one) => [sameness(one), one]),
    )
    const again = new Set<bigint>()
    const fresh: [bigint, queries.FoundBreak][] = []
    for (const [index, one] of found.entries()) {
      const before = known.get(sameness(one))
      const id = ids[index]
      if (before) again.add(before.id)
      else if (id !== undefined) fresh.push([id, one])
    }
    const open = [...known.values()].filter(({ state }) => state === 'open')
    const gone = open.filter((one) => !again.has(one.id) && !isKept(one))
    if (gone.length > 0)
      queries.clear(
        block,
        gone.map(({ id }) => id),
        at,
      )
    if (again.size > 0) queries.confirm(block, [...again], at)
    for (const [id, one] of fresh) queries.insert(block, id, one, at)
  })
  return queries.listed(db, { open: true })
}

/**
 * How much more than the books an account's statement has, by asset, that is only on its way or was resolved by a person. Stores
 * nothing. Undefined where the account has no statement.
 */
export async function explainedAt(ctx: Ctx, account: CustodyAccount): Promise<Map<string, bigint> | undefined> {
  if (!hasStatement(account)) return undefined
  const known = (await queries.standing(ctx.db, [account.place])).filter(({ state }) => state === 'resolved')
  const names = new Set(known.map((one) => `${one.key} ${one.asset} ${one.amount}`))
  const differences = await differencesAt(ctx, account, lastDays(ctx), { besides: known.flatMap(keyOf) })
  const explained = differences.filter(
    (one) => one.isOnItsWay || names.has(`${nameOf(one)} ${one.asset} ${one.amount}`),
  )
  const resolved = known.filter(({ kind }) => kind === 'balance')
  const sums = new Map<string, bigint>()
  for (const { asset, amount } of [...explained, ...resolved]) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return sums
}
