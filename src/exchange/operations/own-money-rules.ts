import type { Atomic, Db } from '../../platform/db/sql.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { unitsAt } from '../../platform/money/amount-in.ts'
import type { UnexplainedBooking } from '../../rails/rail.ts'
import { checkIban } from '../../reference/bank/iban.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { ruledCategories } from '../settlement/reverse-own-money.ts'
import type { StaffOrder } from './by-staff.ts'
import * as queries from './own-money.sql.ts'

/** A rule as an operator gives it. `most`: the most that it books at once, in whole units. */
export type RuleOrder = StaffOrder & {
  direction: 'in' | 'out'
  party: string
  text: string
  asset: string
  most: string
  every: queries.RulePeriod
  category: (typeof ruledCategories)[number]
}

/** Adds a rule for what repeats. Audited. It books what is listed already, and what comes, as often as it says and up to its amount. */
export async function addOwnMoneyRule(ctx: Ctx, order: RuleOrder): Promise<bigint> {
  const { direction, category, every, reason, actor } = order
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
    const rule = { direction, party, text, asset: asset.id, every, category, reason }
    queries.insertRule(db, { ...rule, id, most: limit, by: actor, at })
    const after = { ...rule, most: order.most }
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
export const listOwnMoneyRules = ({ db }: { db: Db }): Promise<queries.OwnMoneyRule[]> => queries.rulesInForce(db)

/** Money without an order, as far as rules are about it. `day`: the bank's, `2026-12-14`. */
export type Unbooked = Pick<UnexplainedBooking, 'party' | 'text' | 'asset' | 'amount'> & {
  direction: 'in' | 'out'
  day: string
}

/** The bank's day of money; where the bank does not say, that of its report. */
export const dayOf = (bookedOn: string | undefined, at: Date): string => bookedOn || at.toISOString().slice(0, 10)

/** Whether a rule names this money, however much it is. */
export function isNamedBy(rule: queries.OwnMoneyRule, { direction, party, text, asset }: Unbooked): boolean {
  const holds = (whole: string, part: string): boolean => whole.toLowerCase().includes(part.toLowerCase())
  if (rule.direction !== direction || rule.asset !== asset) return false
  const iban = checkIban(rule.party)
  if (iban.ok) {
    const account = checkIban(party.account)
    return account.ok && account.iban === iban.iban && holds(text, rule.text)
  }
  // Anybody may have a name like it: customers pay into the same account.
  if (direction === 'in' && rule.text === '') return false
  return holds(party.name, rule.party) && holds(text, rule.text)
}

/** Why a rule leaves money that it names to a person; undefined: it books it. */
function whyBeyond({ id, most, every, months }: queries.OwnMoneyRule, { asset, amount, day }: Unbooked) {
  const known = bookedAsset(asset)
  if (amount > most)
    return `The rule ${id} books at most ${known ? formatAmount(most, known) : most} ${known?.ticker ?? asset} at once.`
  return every === 'month' && months.includes(monthOf(day))
    ? `The rule ${id} books one a month, and has booked that of ${monthOf(day)}.`
    : undefined
}

const monthOf = (day: string): string => day.slice(0, 7)

/** The rule that books money; or why those that name it leave it to a person. */
export function ruleFor(
  rules: readonly queries.OwnMoneyRule[],
  one: Unbooked,
): { rule: queries.OwnMoneyRule | undefined; why: string | undefined } {
  const named = rules.filter((rule) => isNamedBy(rule, one))
  const rule = named.find((each) => whyBeyond(each, one) === undefined)
  return { rule, why: rule || !named[0] ? undefined : whyBeyond(named[0], one) }
}

/** Refuses what a rule books no more. Others that book by it wait until the block ends. */
export async function lockRule(db: Atomic, id: bigint, one: Unbooked): Promise<void> {
  const [rule] = await queries.lockRule(db, id)
  if (!rule) throw new Refusal('CONFLICT', 'This rule has ended.')
  refuseNow(whyBeyond(rule, one))
}
