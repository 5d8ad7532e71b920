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
import type { ItemKey } from './items.sql.ts'

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
  for (const account of accounts) {
    const known = before.filter((one) => one.account === account.place)
    const differences = hasStatement(account) ? await differencesAt(ctx, account, period, known.flatMap(keyOf)) : []
    onItsWay.push(...differences.filter((one) => one.isOnItsWay))
    found.push(...differences.filter((one) => !one.isOnItsWay).map((one) => asBreak(account, one)))
    for (const asset of await assetsAt(ctx, account)) {
      const rest = await unexplained(ctx, account, asset, { differences, known })
      if (rest !== 0n) {
        const cause = hasStatement(account) ? 'unexplained' : 'no_statement'
        found.push({
          account: account.place,
          asset,
          kind: 'balance',
          key: '',
          amount: rest,
          cause,
          owner: ownerOf(account),
        })
      }
    }
  }
  return { breaks: await store(ctx, places, found), onItsWay }
}

/** Every asset that the books have at an account. */
async function assetsAt({ db }: Ctx, { place }: CustodyAccount): Promise<string[]> {
  return [...(await heldBalances(db)).keys()].flatMap((name) => {
    const [account = '', asset = ''] = name.split(' ')
    return placeIn(account) === place ? [asset] : []
  })
}

/** How often, and how many real milliseconds apart, a balance that differs is read again before it counts. */
const looks = 5
const lookAgainMs = 200

/** The part of a balance's difference that no item explains. Counts only once it is the same at two readings, because money moves. */
async function unexplained(
  ctx: Ctx,
  account: CustodyAccount,
  asset: string,
  { differences, known }: { differences: readonly Difference[]; known: readonly queries.BreakRow[] },
): Promise<bigint> {
  const items = differences.filter((one) => one.asset === asset)
  const resolved = known.filter((one) => one.asset === asset && one.kind === 'balance' && one.state === 'resolved')
  const explained = sum(items) + sum(resolved)
  let last: bigint | undefined
  for (let look = 0; look < looks; look += 1) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
    const [balance] = await balancesAt(ctx, account, [asset])
    const rest = balance && restOf(balance) - explained
    if (rest === 0n) return 0n
    if (rest !== undefined && rest === last) return rest
    last = rest
  }
  return 0n
}

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
async function store(ctx: Ctx, places: string[], found: queries.FoundBreak[]): Promise<queries.BreakRow[]> {
  const { db, clock, rowIds } = ctx
  const at = clock.now()
  const ids = await Promise.all(found.map(() => rowIds.next()))
  await db.atomic(async (block) => {
    queries.lockBreaks(block)
    const known = new Map((await queries.standing(block, places)).map((one) => [sameness(one), one]))
    const again = new Set<bigint>()
    const fresh: [bigint, queries.FoundBreak][] = []
    for (const [index, one] of found.entries()) {
      const before = known.get(sameness(one))
      const id = ids[index]
      if (before) again.add(before.id)
      else if (id !== undefined) fresh.push([id, one])
    }
    const open = [...known.values()].filter(({ state }) => state === 'open')
    const gone = open.filter(({ id }) => !again.has(id))
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
  const differences = (await differencesAt(ctx, account, lastDays(ctx))).filter((one) => one.isOnItsWay)
  const resolved = (await queries.standing(ctx.db, [account.place])).filter(({ state }) => state === 'resolved')
  const sums = new Map<string, bigint>()
  for (const { asset, amount } of [...differences, ...resolved]) sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  return sums
}
