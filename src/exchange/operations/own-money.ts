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
import { checkIban } from '../../reference/bank/iban.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { paymentOf, suspenseDeposits, useDeposits } from '../settlement/deposit.ts'
import {
  lockOwnPayment,
  type OwnCategory,
  ownAccountOf,
  type ruledCategories,
} from '../settlement/reverse-own-money.ts'
import type { StaffOrder } from './by-staff.ts'
import * as queries from './own-money.sql.ts'
import { type Doubt, doubtKey, doubtsAbout, isDouble, whyDoubled } from './doubts.ts'
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

/** The same, as a person decides about it: with the orders whose payouts or refunds it may be, and what it may be double of. */
export type DebitToDecide = UnbookedDebit & { candidates: Candidate[]; doubt: Doubt | undefined }

export async function debitsToDecide(ctx: Ctx): Promise<DebitToDecide[]> {
  const debits = await listUnbookedDebits(ctx)
  const doubts = await doubtsAbout(ctx, ctx.db, debits)
  const found = debits.length === 0 ? new Map<string, Candidate[]>() : await debitCandidates(ctx.db, debits)
  return debits.map((one) => ({
    ...one,
    candidates: found.get(`${one.rail} ${one.payment}`) ?? [],
    doubt: doubts.get(doubtKey(one)),
  }))
}

/**
 * What is booked, and as what. `ruleId` where a rule says so; `from`: the account of a processor that has paid it out to us; `settled`: what it
 * says that it has settled with that, in whole units, where it kept something back.
 */
type OwnOrder = StaffOrder & {
  category: OwnCategory
  ruleId?: bigint
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
  { category, ruleId, reason, actor }: OwnOrder,
  { account, processor, settled = what.amount }: { account: string; processor?: Rail | undefined; settled?: bigint },
): Promise<Entry> {
  const [id, at] = [await ctx.rowIds.next(), ctx.clock.now()]
  const { asset, amount, direction } = what
  const own = processor ? held(processor.custodyAccount) : ownAccountOf[category]
  const [debit, credit] = direction === 'in' ? [account, own] : [own, account]
  const booked = entry({ transactionId: null, kind: 'own_money', ref: id, at }, [{ debit, credit, asset, amount }])
  queries.insertOwnMoney(db, { ...what, id, category, ruleId: ruleId ?? null, reason, by: actor, at })
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
      ...(ruleId === undefined ? {} : { rule: String(ruleId) }),
      ...(processor ? { from: processor.custodyAccount, settled: String(settled) } : {}),
    },
  })
  return booked
}

/** A rule as an operator gives it. `most`: the most that it books at once, in whole units. */
export type RuleOrder = StaffOrder & {
  direction: 'in' | 'out'
  party: string
  text: string
  asset: string
  most: string
  category: (typeof ruledCategories)[number]
}

/** Adds a rule for what repeats. Audited. It books what is listed already, and what comes, up to its amount. */
export async function addOwnMoneyRule(ctx: Ctx, order: RuleOrder): Promise<bigint> {
  const { direction, category, reason, actor } = order
  const [party, text] = [order.party.trim(), order.text.trim()]
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  if (party.length < 3) throw badField('party', 'A rule names at least three characters of who pays or is paid.')
  if (direction === 'in' && text === '' && !checkIban(party).ok)
    throw badField('text', 'A rule for what comes in needs a text, or the IBAN of who pays.')
  const asset = bookedAsset(order.asset)
  if (!asset) throw badField('asset', `Unknown asset: ${order.asset}. Assets are written like EUR-EUR.`)
  const limit = unitsAt(order.most, asset, 'most')
  if (limit <= 0n) throw badField('most', 'The most that a rule books is more than zero.')
  const [id, at] = [await ctx.rowIds.next(), ctx.clock.now()]
  await ctx.db.atomic((db) => {
    queries.insertRule(db, {
      id,
      direction,
      party,
      text,
      asset: asset.id,
      most: limit,
      category,
      reason,
      by: actor,
      at,
    })
    const after = { direction, party, text, asset: asset.id, most: order.most, category, reason }
    recordAudit(db, { at, actor, action: 'own_money_rule.added', subject: `own_money_rule:${id}`, before: null, after })
    return Promise.resolve()
  })
  return id
}

/** Ends a rule. What it booked stays booked. Audited. */
export async function endOwnMoneyRule(ctx: Ctx, id: bigint, { reason, actor }: StaffOrder): Promise<void> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  const at = ctx.clock.now()
  await ctx.db.atomic(async (db) => {
    const ended = await queries.endRule(db, id, at)
    if (ended.length === 0) throw new Refusal('NOT_FOUND', 'There is no such rule.')
    const subject = `own_money_rule:${id}` as const
    recordAudit(db, { at, actor, action: 'own_money_rule.ended', subject, before: null, after: { reason } })
  })
}

/** The rules in force, the oldest first. */
export const listOwnMoneyRules = ({ db }: Pick<Ctx, 'db'>): Promise<queries.OwnMoneyRule[]> => queries.rulesInForce(db)

/** Books what the rules name, as far as it lies without an order. Safe to run in several processes. */
export async function applyOwnMoneyRules(ctx: Ctx): Promise<void> {
  const rules = await queries.rulesInForce(ctx.db)
  if (rules.length === 0) return
  const left = rules.some(({ direction }) => direction === 'out') ? await listUnbookedDebits(ctx) : []
  const inDoubt = await doubtsAbout(ctx, ctx.db, left)
  const debits = left.filter((one) => !isDouble(inDoubt.get(doubtKey(one))))
  const credits = rules.some(({ direction }) => direction === 'in') ? await creditsOf(ctx, rules) : []
  for (const one of [
    ...debits.map((debit) => ({ ...debit, id: debit.payment, direction: 'out' as const })),
    ...credits,
  ]) {
    const rule = rules.find((each) => fits(each, one))
    if (!rule) continue
    const order = { category: rule.category, ruleId: rule.id, reason: rule.reason, actor: `rule:${rule.id}` }
    try {
      await bookOwnMoney(ctx, one.id, order)
    } catch (error) {
      // Another process, or a person, came first.
      if (!(error instanceof Refusal)) throw error
    }
  }
}

type Unbooked = Pick<UnexplainedBooking, 'party' | 'text' | 'asset' | 'amount'> & {
  id: string
  direction: 'in' | 'out'
}

function fits(rule: queries.OwnMoneyRule, { direction, party, text, asset, amount }: Unbooked): boolean {
  const holds = (whole: string, part: string): boolean => whole.toLowerCase().includes(part.toLowerCase())
  if (rule.direction !== direction || rule.asset !== asset || amount > rule.most) return false
  const iban = checkIban(rule.party)
  if (iban.ok) {
    const account = checkIban(party.account)
    return account.ok && account.iban === iban.iban && holds(text, rule.text)
  }
  // Anybody may have a name like it: customers pay into the same account.
  if (direction === 'in' && rule.text === '') return false
  return holds(party.name, rule.party) && holds(text, rule.text)
}

/** Money in suspense that rules name. What may be a customer's, or may be reported twice, is for a person. */
async function creditsOf(ctx: Ctx, rules: readonly queries.OwnMoneyRule[]): Promise<Unbooked[]> {
  const found: { one: Unbooked; rail: string; texts: string[] }[] = []
  const deposits = await suspenseDeposits(ctx.db, most)
  const doubts = await doubtsAbout(ctx, ctx.db, deposits)
  for (const { id, rail, payment, reference, asset, amount } of deposits) {
    const details = payment === null ? undefined : await ctx.rails.deposit(rail)?.deposit.details?.(ctx.db, payment)
    if (!details || isDouble(doubts.get(doubtKey({ rail, payment })))) continue
    const { text } = details
    const one = { id: String(id), direction: 'in', party: details, text, asset, amount } as const
    if (rules.some((rule) => fits(rule, one))) found.push({ one, rail, texts: [text, reference] })
  }
  if (found.length === 0) return []
  const waiting = await waitingOrders(
    ctx.db,
    found.map(({ rail }) => rail),
  )
  return found
    .filter(({ one, rail, texts }) => candidatesFor({ ...one, rail, texts }, waiting).length === 0)
    .map(({ one }) => one)
}
