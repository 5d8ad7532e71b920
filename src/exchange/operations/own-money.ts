import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { held, suspense } from '../ledger/account.ts'
import { lowerAvailable } from '../ledger/balance.ts'
import { type Entry, entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { unitsAt } from '../../platform/money/amount-in.ts'
import type { Rail, UnexplainedBooking } from '../../rails/rail.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { paymentOf, suspenseDeposits, useDeposits } from '../settlement/deposit.ts'
import { lockOwnPayment, type OwnCategory, ownAccountOf } from '../settlement/reverse-own-money.ts'
import type { StaffOrder } from './by-staff.ts'
import * as queries from './own-money.sql.ts'
import { type Doubt, doubtKey, doubtsAbout, isDouble, whyDoubled } from './doubts.ts'
import { dayOf, isNamedBy, lockRule, ruleFor, type Unbooked } from './own-money-rules.ts'
import { lockSuspense } from './suspense.ts'
import { type Candidate, candidatesFor, debitCandidates, waitingOrders } from './suspense-candidates.ts'

export { type OwnCategory, ownCategories, ruledCategories } from '../settlement/reverse-own-money.ts'

/** The most bookings that one look gives. */
const most = 1_000

/** Money that left an account of ours for no order: it is listed until a person, or a rule, says what it was. */
export type UnbookedDebit = UnexplainedBooking & { rail: string }

/** What left for no order, of every rail, as far as it is not booked as our own. */
export async function listUnbookedDebits(ctx: Ctx): Promise<UnbookedDebit[]> {
  const debits: UnbookedDebit[] = []
  for (const { name, unexplained } of ctx.rails.all) {
    for (const one of (await unexplained?.(ctx.db, most)) ?? []) debits.push({ ...one, rail: name })
  }
  return debits
}

/**
 * The same, as a person decides about it: with the orders whose payouts or refunds it may be, what it may be double of, and why a rule
 * that names it does not book it.
 */
export type DebitToDecide = UnbookedDebit & {
  candidates: Candidate[]
  doubt: Doubt | undefined
  beyond: string | undefined
}

const ofDebit = ({ party, text, asset, amount, bookedOn, at }: UnbookedDebit): Unbooked => ({
  direction: 'out',
  party,
  text,
  asset,
  amount,
  day: dayOf(bookedOn, at),
})

export async function debitsToDecide(ctx: Ctx): Promise<DebitToDecide[]> {
  const debits = await listUnbookedDebits(ctx)
  const doubts = await doubtsAbout(ctx, ctx.db, debits)
  const rules = debits.length === 0 ? [] : await queries.rulesInForce(ctx.db)
  const found = debits.length === 0 ? new Map<string, Candidate[]>() : await debitCandidates(ctx.db, debits)
  return debits.map((one) => ({
    ...one,
    candidates: found.get(`${one.rail} ${one.payment}`) ?? [],
    doubt: doubts.get(doubtKey(one)),
    beyond: ruleFor(rules, ofDebit(one)).why,
  }))
}

/**
 * What is booked, and as what. `rule` where one says so, and what it says that of; `from`: the account of a processor that has paid it out to us; `settled`: what it
 * says that it has settled with that, in whole units, where it kept something back.
 */
type OwnOrder = StaffOrder & {
  category: OwnCategory
  rule?: { id: bigint; of: Unbooked }
  from?: string | undefined
  settled?: string | undefined
}

/**
 * Books money without an order as the house's own: a deposit in suspense by its id, a debit by its payment (`bk_12`). Audited. Refuses
 * what is booked already, has an order, is on its way back or may be double, and what no rail knows. What a processor has paid out is a transfer:
 * it lay there until it arrived.
 */
export async function bookOwnMoney(ctx: Ctx, id: string, order: OwnOrder): Promise<void> {
  if (order.reason.trim() === '') throw badField('reason', 'A reason is required.')
  if (/^\d+$/.test(id)) return ctx.db.atomic((db) => bookCredit(ctx, db, BigInt(id), order))
  if (order.from !== undefined) throw badField('from', 'Only money that arrived was paid out by a processor.')
  const debit = (await listUnbookedDebits(ctx)).find(({ payment }) => payment === id)
  if (!debit) throw new Refusal('NOT_FOUND', 'No money without an order has this id.')
  return ctx.db.atomic((db) => bookDebit(ctx, db, debit, order))
}

async function bookCredit(ctx: Ctx, db: Atomic, depositId: bigint, order: OwnOrder): Promise<void> {
  const { rail, asset, amount } = await lockSuspense(ctx, db, depositId)
  const [paid] = await paymentOf(db, depositId)
  const processor = processorOf(ctx, order)
  const settled = settledOf(order, { asset, amount })
  useDeposits(db, [{ id: depositId, exchanged: 0n, refunded: amount }])
  const payment = paid?.payment ?? `deposit ${depositId}`
  const what = { rail, payment, depositId, direction: 'in', asset, amount } as const
  const booked = await book(ctx, db, what, order, { account: suspense, processor, settled })
  if (processor) lowerAvailable(db, [booked])
}

/** The rail of the processor that has paid money out; undefined where none is named. */
function processorOf({ rails }: Ctx, { from, category }: OwnOrder): Rail | undefined {
  if (from === undefined) return undefined
  const rail = rails.all.find(({ custodyAccount, noteChange }) => custodyAccount === from && noteChange !== undefined)
  if (!rail) throw badField('from', `No processor holds money at ${from}.`)
  if (category !== 'transfer') throw badField('from', 'What a processor has paid out is a transfer.')
  return rail
}

/** How much less a processor holds for us after a payout, as it says; what arrived unless it says. */
function settledOf({ from, settled }: OwnOrder, { asset: id, amount }: { asset: string; amount: bigint }): bigint {
  if (settled === undefined) return amount
  const asset = bookedAsset(id)
  const units = asset ? unitsAt(settled, asset, 'settled') : 0n
  if (from === undefined || units <= 0n) throw badField('settled', 'Give what the processor says, with its account.')
  return units
}

async function bookDebit(ctx: Ctx, db: Atomic, { rail: name, payment, asset, amount }: UnbookedDebit, order: OwnOrder) {
  const rail = ctx.rails.all.find((one) => one.name === name)
  if (!rail) throw new Error(`There is no rail ${name} in this process.`)
  lockOwnPayment(db, { rail: name, payment })
  if ((await queries.bookedAsOwn(db, name, [payment])).length > 0)
    throw new Refusal('CONFLICT', 'This money is booked already.')
  if (!(await rail.unexplained?.(db, most))?.some((one) => one.payment === payment))
    throw new Refusal('CONFLICT', 'Its bank has not taken this money after all.')
  refuseNow(await whyDoubled(ctx, db, { rail: name, payment }))
  const what = { rail: name, payment, depositId: null, direction: 'out', asset, amount } as const
  const booked = await book(ctx, db, what, order, { account: held(rail.custodyAccount) })
  lowerAvailable(db, [booked])
}

type Booked = Pick<queries.OwnMoney, 'rail' | 'payment' | 'depositId' | 'direction' | 'asset' | 'amount'>

async function book(
  ctx: Ctx,
  db: Atomic,
  what: Booked,
  { category, rule, reason, actor }: OwnOrder,
  { account, processor, settled = what.amount }: { account: string; processor?: Rail | undefined; settled?: bigint },
): Promise<Entry> {
  if (rule) await lockRule(db, rule.id, rule.of)
  const [id, at] = [await ctx.rowIds.next(), ctx.clock.now()]
  const { asset, amount, direction } = what
  const own = processor ? held(processor.custodyAccount) : ownAccountOf[category]
  const [debit, credit] = direction === 'in' ? [account, own] : [own, account]
  const booked = entry({ transactionId: null, kind: 'own_money', ref: id, at }, [{ debit, credit, asset, amount }])
  const byRule = { ruleId: rule?.id ?? null, bankDay: rule?.of.day ?? null }
  queries.insertOwnMoney(db, { ...what, ...byRule, id, category, reason, by: actor, at })
  await post(db, ctx, [booked])
  processor?.noteChange?.(db, { key: String(id), asset, amount: -settled, at })
  recordAudit(db, {
    at,
    actor,
    action: 'own_money.booked',
    subject: what.depositId === null ? `payment:${what.rail}:${what.payment}` : `deposit:${what.depositId}`,
    before: null,
    after: {
      category,
      direction,
      asset,
      amount: String(amount),
      reason,
      ...(rule ? { rule: String(rule.id) } : {}),
      ...(processor ? { from: processor.custodyAccount, settled: String(settled) } : {}),
    },
  })
  return booked
}

/** Books what the rules name, as far as it lies without an order. Safe to run in several processes. */
export async function applyOwnMoneyRules(ctx: Ctx): Promise<void> {
  const rules = await queries.rulesInForce(ctx.db)
  if (rules.length === 0) return
  const left = rules.some(({ direction }) => direction === 'out') ? await listUnbookedDebits(ctx) : []
  const inDoubt = await doubtsAbout(ctx, ctx.db, left)
  const debits = left.filter((one) => !isDouble(inDoubt.get(doubtKey(one))))
  const credits = rules.some(({ direction }) => direction === 'in') ? await creditsOf(ctx, rules) : []
  for (const { id, of } of [...debits.map((debit) => ({ id: debit.payment, of: ofDebit(debit) })), ...credits]) {
    const { rule } = ruleFor(rules, of)
    if (!rule) continue
    const { id: ruleId, category, reason } = rule
    const order = { category, rule: { id: ruleId, of }, reason, actor: `rule:${ruleId}` }
    try {
      await bookOwnMoney(ctx, id, order)
    } catch (error) {
      // Another process, or a person, came first; or another booking of its month.
      if (!(error instanceof Refusal)) throw error
    }
  }
}

/** Money in suspense that rules name. What may be a customer's, or may be reported twice, is for a person. */
async function creditsOf(ctx: Ctx, rules: readonly queries.OwnMoneyRule[]): Promise<{ id: string; of: Unbooked }[]> {
  const found: { id: string; of: Unbooked; rail: string; texts: string[] }[] = []
  const deposits = await suspenseDeposits(ctx.db, most)
  const doubts = await doubtsAbout(ctx, ctx.db, deposits)
  for (const { id, rail, payment, reference, asset, amount, at } of deposits) {
    const details = payment === null ? undefined : await ctx.rails.deposit(rail)?.deposit.details?.(ctx.db, payment)
    if (!details || isDouble(doubts.get(doubtKey({ rail, payment })))) continue
    const { text, bookedOn } = details
    const of = { direction: 'in', party: details, text, asset, amount, day: dayOf(bookedOn, at) } as const
    if (rules.some((rule) => isNamedBy(rule, of))) found.push({ id: String(id), of, rail, texts: [text, reference] })
  }
  if (found.length === 0) return []
  const waiting = await waitingOrders(
    ctx.db,
    found.map(({ rail }) => rail),
  )
  return found.filter(({ of, rail, texts }) => candidatesFor({ ...of, rail, texts }, waiting).length === 0)
}
