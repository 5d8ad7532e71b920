import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { OwnCategory } from '../settlement/reverse-own-money.ts'

/** One booking of the house's own, as it is kept. */
export type OwnMoney = {
  id: bigint
  rail: string
  payment: string
  depositId: bigint | null
  direction: 'in' | 'out'
  asset: string
  amount: bigint
  category: OwnCategory
  ruleId: bigint | null
  /** The bank's day, of what a rule has booked. */
  bankDay: string | null
  reason: string
  by: string
  at: Date
}

/** Keeps a booking. One that is booked already fails the block. */
export const insertOwnMoney = (db: Atomic, one: OwnMoney): void =>
  db.send`
    insert into own_money (id, rail, payment, deposit_id, direction, asset, amount, category, rule_id, bank_day, reason, booked_by, booked_at)
    values (${one.id}, ${one.rail}, ${one.payment}, ${one.depositId}, ${one.direction}, ${one.asset}, ${one.amount},
      ${one.category}, ${one.ruleId}, ${one.bankDay}, ${one.reason}, ${one.by}, ${one.at})`

/** Which payments of a rail are booked as our own. */
export const bookedAsOwn = (db: Db, rail: string, payments: readonly string[]): Promise<{ payment: string }[]> =>
  db.sql`select payment from own_money where rail = ${rail} and payment = any(${[...payments]}::text[])`

/** How often a rule books: once in a calendar month of the bank's days, or each time. */
export const rulePeriods = ['month', 'booking'] as const
export type RulePeriod = (typeof rulePeriods)[number]

/** A rule that books what repeats. `party`: a part of a name, or an IBAN. Empty texts are in every text. */
export type OwnMoneyRule = {
  id: bigint
  direction: 'in' | 'out'
  party: string
  text: string
  asset: string
  most: bigint
  every: RulePeriod
  category: OwnCategory
  reason: string
  by: string
  at: Date
  /** The months that it has booked something for, `2026-12`. What its bank took back is not counted. */
  months: string[]
}

export const insertRule = (db: Atomic, rule: Omit<OwnMoneyRule, 'months'>): void =>
  db.send`
    insert into own_money_rules (id, direction, party, text, asset, most, every, category, reason, created_by, created_at)
    values (${rule.id}, ${rule.direction}, ${rule.party}, ${rule.text}, ${rule.asset}, ${rule.most}, ${rule.every},
      ${rule.category}, ${rule.reason}, ${rule.by}, ${rule.at})`

/** The rules in force, or the one with an id if it is. */
export const rulesInForce = (db: Db, id: bigint | null = null): Promise<OwnMoneyRule[]> =>
  db.sql`
    select id, direction, party, text, asset, most, every, category, reason, created_by as by, created_at as at,
      array(
        select distinct to_char(bank_day, 'YYYY-MM') from own_money
        where rule_id = own_money_rules.id and bank_day is not null
          and not exists (select from own_money_reversals where own_money_id = own_money.id)) as months
    from own_money_rules where ended_at is null and (${id}::bigint is null or id = ${id}) order by id`

/** A rule in force, and what it has booked, until the block ends. */
export const lockRule = (db: Atomic, id: bigint): Promise<OwnMoneyRule[]> => {
  db.send`select from own_money_rules where id = ${id} for update`
  return rulesInForce(db, id)
}

export const endRule = (db: Db, id: bigint, at: Date): Promise<{ id: bigint }[]> =>
  db.sql`update own_money_rules set ended_at = ${at} where id = ${id} and ended_at is null returning id`
