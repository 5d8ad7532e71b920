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
  reason: string
  by: string
  at: Date
}

/** Keeps a booking. One that is booked already fails the block. */
export const insertOwnMoney = (db: Atomic, one: OwnMoney): void =>
  db.send`
    insert into own_money (id, rail, payment, deposit_id, direction, asset, amount, category, rule_id, reason, booked_by, booked_at)
    values (${one.id}, ${one.rail}, ${one.payment}, ${one.depositId}, ${one.direction}, ${one.asset}, ${one.amount},
      ${one.category}, ${one.ruleId}, ${one.reason}, ${one.by}, ${one.at})`

/** Which payments of a rail are booked as our own. */
export const bookedAsOwn = (db: Db, rail: string, payments: readonly string[]): Promise<{ payment: string }[]> =>
  db.sql`select payment from own_money where rail = ${rail} and payment = any(${[...payments]}::text[])`

/** A rule that books what repeats. `party`: a part of a name, or an IBAN. Empty texts are in every text. */
export type OwnMoneyRule = {
  id: bigint
  direction: 'in' | 'out'
  party: string
  text: string
  asset: string
  most: bigint
  category: OwnCategory
  reason: string
  by: string
  at: Date
}

export const insertRule = (db: Atomic, rule: OwnMoneyRule): void =>
  db.send`
    insert into own_money_rules (id, direction, party, text, asset, most, category, reason, created_by, created_at)
    values (${rule.id}, ${rule.direction}, ${rule.party}, ${rule.text}, ${rule.asset}, ${rule.most}, ${rule.category},
      ${rule.reason}, ${rule.by}, ${rule.at})`

export const rulesInForce = (db: Db): Promise<OwnMoneyRule[]> =>
  db.sql`
    select id, direction, party, text, asset, most, category, reason, created_by as by, created_at as at
    from own_money_rules where ended_at is null order by id`

export const endRule = (db: Db, id: bigint, at: Date): Promise<{ id: bigint }[]> =>
  db.sql`update own_money_rules set ended_at = ${at} where id = ${id} and ended_at is null returning id`
