import type { Ctx } from '../context.ts'
import { placeIn } from '../ledger/account.ts'
import { heldBalances } from '../ledger/balance.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Db } from '../../platform/db/sql.ts'
import { mayBeCharge } from '../../rails/statement.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
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
import { type Cause, type Difference, nameOf } from './compare.ts'
import { namedElsewhere } from './elsewhere.ts'
import { arrivedOtherwise } from './arrived-otherwise.ts'
import { arrivedUnseen } from './arrived-unseen.ts'
import { type ItemKey, type Moving, movingAt } from './items.sql.ts'
import { signedUnknown } from './signed-unknown.ts'

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
    const known = before.filter((one) => one.account === account.place && one.kind !== 'statement')
    const seen = await comparedUntilSame(ctx, account, period, known)
    onItsWay.push(...seen.differences.filter((one) => one.isOnItsWay))
    found.push(...seen.differences.filter((one) => !one.isOnItsWay).map((one) => asBreak(account, one)))
    for (const [asset, amount] of seen.rests) {
      if (amount === undefined) unknown.push(balanceOf(account.place, asset))
      else if (amount !== 0n) {
        const cause = causeOfBalance(account, asset, amount)
        const owner = ownerOf(account)
        found.push({ account: account.place, asset, kind: 'balance', key: '', amount, cause, owner })
      }
    }
  }
  found.push(...(await signedUnknown(ctx)), ...(await arrivedUnseen(ctx)), ...(await arrivedOtherwise(ctx)))
  const kept = (one: queries.BreakRow): boolean =>
    one.kind !== 'statement' &&
    (!before.some(({ id }) => id === one.id) ||
      (one.kind === 'balance' && unknown.includes(balanceOf(one.account, one.asset))))
  return { breaks: await store(ctx, accounts, await namedElsewhere(ctx, found), kept), onItsWay }
}

/**
 * Compares the statements with what was reported before, and stores what differs, without asking anybody outside. What is only found
 * payment by payment stays as it is.
 */
export async function reconcileStatements(ctx: Ctx): Promise<void> {
  await store(ctx, custodyAccounts(ctx), [], ({ kind }) => kind !== 'statement')
}

/**
 * Bookings that a bank has reported and the statement of their day lacks, and what statements open differently by and is not booked,
 * unless a person has explained them.
 */
export async function unstatedBookings(ctx: Ctx): Promise<queries.FoundBreak[]> {
  const accounts = custodyAccounts(ctx)
  const found = (await findingsAt(ctx.db, accounts)).filter(
    ({ key, amount }) => /^booking | opens \d+$/.test(key) && amount !== 0n,
  )
  if (found.length === 0) return []
  const places = accounts.map(({ place }) => place)
  const explained = (await queries.standing(ctx.db, places)).filter(({ state }) => state === 'resolved')
  const names = new Set(explained.map(sameness))
  return found.filter((one) => !names.has(sameness(one)))
}

/** What the rails of accounts find wrong with their statements. */
async function findingsAt(db: Db, accounts: readonly CustodyAccount[]): Promise<queries.FoundBreak[]> {
  const all = accounts.flatMap((account) => account.rails.map((rail) => ({ account, rail })))
  const found = await Promise.all(
    all.map(async ({ account, rail }) =>
      ((await rail.findings?.(db)) ?? []).map((one): queries.FoundBreak => ({
        ...one,
        account: account.place,
        kind: 'statement',
        owner: ownerOf(account),
      })),
    ),
  )
  return found.flat()
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

/** Only a bank's statements say what a balance begins with. */
const isBank = ({ rails }: CustodyAccount): boolean => rails.some(({ findings }) => findings !== undefined)

/** How the balance of an account came to differ, beyond its items: a processor has kept something back from what it paid out. */
function causeOfBalance(account: CustodyAccount, id: string, amount: bigint): Cause {
  if (isBank(account)) return 'opening_differs'
  if (amount > 0n) return 'swallowed'
  if (account.rails.every(({ noteChange }) => noteChange === undefined)) return 'missing'
  const asset = bookedAsset(id)
  return asset && mayBeCharge(asset, -amount) ? 'charge_not_booked' : 'other_amount'
}

/** Chains are looked after by operations, banks and processors by finance. */
const ownerOf = ({ rails }: CustodyAccount): queries.BreakOwner =>
  rails.some(({ serves }) => serves.some(({ categories }) => categories.includes('CRYPTO'))) ? 'operations' : 'finance'

function keyOf({ key }: queries.BreakRow): ItemKey[] {
  const [rail = '', direction, ...rest] = key.split(' ')
  return direction === 'in' || direction === 'out' ? [{ rail, direction, key: rest.join(' ') }] : []
}

const sameness = (one: Pick<queries.BreakRow, 'account' | 'asset' | 'kind' | 'key' | 'amount'>): string =>
  [one.account, one.asset, one.kind, one.key, one.amount].join('\n')

/** Stores what was found, and what is wrong with statements by now, and gives every break that is open now. */
async function store(
  ctx: Ctx,
  accounts: readonly CustodyAccount[],
  elsewhere: queries.FoundBreak[],
  isKept: (one: queries.BreakRow) => boolean,
): Promise<queries.BreakRow[]> {
  const { db, clock, rowIds } = ctx
  const at = clock.now()
  await db.atomic(async (block) => {
    queries.lockBreaks(block)
    const standing = await queries.standing(
      block,
      accounts.map(({ place }) => place),
    )
    // What ends a finding waits for this block, or was seen by it.
    const found = [...elsewhere, ...(await findingsAt(block, accounts))]
    // A resolved balance is subtracted before: the same amount found again is another loss.
    const known = new Map(
      standing.filter((one) => one.state === 'open' || one.kind !== 'balance').map((one) => [sameness(one), one]),
    )
    const again = new Map<bigint, queries.FoundBreak['cause']>()
    const fresh: queries.FoundBreak[] = []
    for (const one of found) {
      const before = known.get(sameness(one))
      if (before) again.set(before.id, one.cause)
      else fresh.push(one)
    }
    const open = [...known.values()].filter(({ state }) => state === 'open')
    const gone = open.filter((one) => !again.has(one.id) && !isKept(one))
    if (gone.length > 0)
      queries.clear(
        block,
        gone.map(({ id }) => id),
        at,
      )
    if (again.size > 0) queries.confirm(block, again, at)
    for (const one of fresh) queries.insert(block, await rowIds.next(), one, at)
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
