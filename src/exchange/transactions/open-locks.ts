import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { CapRules } from '../policies/caps.ts'
import * as queries from './open-locks.sql.ts'
import type { Transaction } from './transaction.ts'
import { logRefused } from '../policies/refused.ts'

/** An order whose price is about to be held, and whose it is. */
export type LockedOrder = Pick<
  Transaction,
  'partnerId' | 'partnerCustomerId' | 'customerId' | 'from' | 'to' | 'fromAmountInEur' | 'quoteExpiresAt'
>

/** Whose locks are counted together. */
type Subject = {
  name: string
  cap: bigint
  count(db: Atomic, options: queries.CountOptions): Promise<{ cents: bigint }[]>
}

/** Orders that are not counted; and whether only the customer is to count these. */
type LockOptions = { besides?: readonly bigint[]; isNewCustomer?: boolean }

/** What an order adds to each of its subjects. */
type Lock = { order: LockedOrder; cents: bigint; subjects: Subject[] }

/**
 * Counts prices that are about to be held against the caps of open locks (policy `caps`): per customer, partner and coin. Gives,
 * in the order asked, why an order's price cannot be held; undefined where it can. Orders whose price is not held are not
 * counted; neither are those of `besides`. Two blocks that lock for the same subject follow each other, so no two use the same
 * rest of a cap.
 *
 * What ends (paid, cancelled, expired) is not taken off a total: that would write the same rows again for each order. A total is
 * counted again when it is full.
 */
export async function lockPrices(
  ctx: Ctx,
  db: Atomic,
  orders: readonly LockedOrder[],
  { besides = [], isNewCustomer = false }: LockOptions = {},
): Promise<(Refusal | undefined)[]> {
  const now = ctx.clock.now()
  const locks = orders.flatMap((order) => (isHeld(order, now) ? [lockOf(ctx, order, now, isNewCustomer)] : []))
  if (locks.length === 0) return orders.map(() => undefined)

  const raises = raisesOf(locks)
  const raised = await queries.raise(db, raises)
  const full = raises.filter(({ subject, cents, cap }) => cents > cap || !raised.has(subject))
  if (full.length === 0) return orders.map(() => undefined)

  const options = { now, besides }
  const left = new Map<string, bigint>()
  for (const { subject: name } of full) {
    const subject = locks.flatMap(({ subjects }) => subjects).find((one) => one.name === name)
    const [counted] = (await subject?.count(db, options)) ?? []
    if (!subject || !counted) throw new Error(`The open locks of ${name} cannot be counted.`)
    left.set(name, subject.cap - counted.cents)
  }
  const refused = refusedOf(locks, left)
  correctTotals(db, { locks, refused, left, raises })
  return orders.map((order) => {
    if (!refused.has(order)) return undefined
    const refusal = openLocksRefusal()
    logRefused(ctx, refusal, { partnerId: order.partnerId, kinds: ['caps'] })
    return refusal
  })
}

/** Whether a price is held at all, and known in euros. */
const isHeld = ({ fromAmountInEur, quoteExpiresAt }: LockedOrder, now: Date): boolean =>
  fromAmountInEur !== null && fromAmountInEur > 0n && quoteExpiresAt > now

/**
 * The same for an order that is there, with a new price or a new customer: what it had counts no more. Its partner and coin count it
 * already where only the customer is new. Refuses.
 */
export async function lockPrice(
  ctx: Ctx,
  db: Atomic,
  order: LockedOrder & { id: bigint },
  { isNewCustomer }: { isNewCustomer: boolean },
): Promise<void> {
  const [refusal] = await lockPrices(ctx, db, [order], { besides: [order.id], isNewCustomer })
  if (refusal) throw refusal
}

function lockOf({ policies }: Pick<Ctx, 'policies'>, order: LockedOrder, now: Date, isNewCustomer: boolean): Lock {
  const { partnerId } = order
  const { openLocks: caps } = policies.at(now, 'caps', partnerId).rules
  const customer = customerOf(order, caps)
  if (isNewCustomer) return { order, cents: order.fromAmountInEur ?? 0n, subjects: customer }
  const { openLocks: house } = policies.at(now, 'caps').rules
  const coins = new Set([order.from, order.to].filter(({ network }) => network.chain).map(({ asset }) => asset.id))
  return {
    order,
    cents: order.fromAmountInEur ?? 0n,
    subjects: [
      {
        name: `partner:${partnerId}`,
        cap: caps.partner,
        count: (db, options) => queries.ofPartner(db, partnerId, options),
      },
      ...[...coins].map((asset) => ({
        name: `asset:${asset}`,
        cap: house.asset,
        count: (db: Atomic, options: queries.CountOptions) => queries.ofAsset(db, asset, options),
      })),
      ...customer,
    ],
  }
}

function customerOf({ customerId, partnerCustomerId }: LockedOrder, caps: CapRules['openLocks']): Subject[] {
  const cap = caps.customer
  if (customerId !== null) {
    return [
      { name: `customer:${customerId}`, cap, count: (db, options) => queries.ofCustomer(db, customerId, options) },
    ]
  }
  if (partnerCustomerId === null) return []
  const count: Subject['count'] = (db, options) => queries.ofPartnerCustomer(db, partnerCustomerId, options)
  return [{ name: `partner_customer:${partnerCustomerId}`, cap, count }]
}

function raisesOf(locks: readonly Lock[]): queries.Raise[] {
  const raises = new Map<string, queries.Raise>()
  for (const { order, cents, subjects } of locks) {
    for (const { name: subject, cap } of subjects) {
      const known = raises.get(subject)
      const until = order.quoteExpiresAt
      const openUntil = known && known.openUntil > until ? known.openUntil : until
      raises.set(subject, { subject, cap, cents: cents + (known?.cents ?? 0n), openUntil })
    }
  }
  return [...raises.values()]
}

/** The orders for which nothing is left, in the order in which they came; the others use it up. */
function refusedOf(locks: readonly Lock[], left: Map<string, bigint>): Set<LockedOrder> {
  const refused = new Set<LockedOrder>()
  for (const { order, cents, subjects } of locks) {
    const counted = subjects.filter(({ name }) => left.has(name))
    if (counted.some(({ name }) => (left.get(name) ?? 0n) < cents)) refused.add(order)
    else for (const { name } of counted) left.set(name, (left.get(name) ?? 0n) - cents)
  }
  return refused
}

type Outcome = { locks: readonly Lock[]; refused: Set<LockedOrder>; left: Map<string, bigint>; raises: queries.Raise[] }

/** A total that was counted is what it was found to be; of the others, what was refused goes again. */
function correctTotals(db: Atomic, { locks, refused, left, raises }: Outcome): void {
  const totals = raises.flatMap(({ subject, cap, openUntil }) => {
    const rest = left.get(subject)
    if (rest !== undefined) return [{ subject, cents: cap - rest, isWhole: true, openUntil }]
    const gone = locks.filter(
      ({ order, subjects }) => refused.has(order) && subjects.some(({ name }) => name === subject),
    )
    const cents = gone.reduce((sum, one) => sum - one.cents, 0n)
    return cents === 0n ? [] : [{ subject, cents, isWhole: false, openUntil }]
  })
  queries.correct(db, totals)
}

function openLocksRefusal(): Refusal {
  const message = 'Too many orders with a held price are open. Try again when some of them are paid or have expired.'
  return new Refusal('CONFLICT', message, [{ path: '', code: 'OPEN_LOCKS_LIMIT', message }])
}

/** Drops totals that no longer count anything. */
export const forgetOpenLocks = ({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<unknown> =>
  queries.forget(db, clock.now())
