import type { Atomic, Db } from '../../platform/db/sql.ts'

/**
 * Where a payout stands. `waiting`: not covered yet. `reserved`: covered, not planned. `unknown`: only evidence ends it. `failed`:
 * it came back, or the rail will never pay it. `cancelled`: it was taken back before it was planned.
 */
export type PayoutState = 'waiting' | 'reserved' | 'planned' | 'paid' | 'failed' | 'unknown' | 'cancelled'

/** A payout as it is ordered. */
export type PayoutRow = {
  id: bigint
  transactionId: bigint | null
  refundId: bigint | null
  purpose: 'payout' | 'refund'
  number: number
  rail: string
  place: string
  asset: string
  amount: bigint
  /** What sending it may cost the place at most, and in which asset; null where the rail takes nothing there. */
  feeAsset: string | null
  mostFee: bigint | null
  state: PayoutState
  dataKeyId: bigint
  destination: Buffer
  orderedAt: Date
}

/** Keeps ordered payouts. The same order of a transaction twice fails the block. */
export const insert = (db: Atomic, rows: PayoutRow[]): void =>
  db.send`
    insert into payouts (id, transaction_id, refund_id, purpose, number, rail, place, asset, amount,
      fee_asset, most_fee, state, data_key_id, destination, ordered_at)
    select * from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.transactionId)}::bigint[],
      ${rows.map((row) => row.refundId)}::bigint[], ${rows.map((row) => row.purpose)}::text[], ${rows.map((row) => row.number)}::integer[],
      ${rows.map((row) => row.rail)}::text[], ${rows.map((row) => row.place)}::text[],
      ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[],
      ${rows.map((row) => row.feeAsset)}::text[], ${rows.map((row) => row.mostFee)}::numeric[],
      ${rows.map((row) => row.state)}::text[], ${rows.map((row) => row.dataKeyId)}::bigint[],
      ${rows.map((row) => row.destination)}::bytea[], ${rows.map((row) => row.orderedAt.toISOString())}::timestamptz[])`

/** A payout as it is read for planning. */
export type OrderedRow = {
  id: bigint
  transaction_id: bigint
  rail: string
  place: string
  asset: string
  amount: bigint
  fee_asset: string | null
  most_fee: bigint | null
  state: PayoutState
  destination: Buffer
}

/** Which transactions these payouts belong to; refunds are left out, they are sent by their own job. */
export const transactionsOf = (db: Db, ids: bigint[]): Promise<{ id: bigint; transaction_id: bigint }[]> =>
  db.sql`select id, transaction_id from payouts where id = any(${ids}) and purpose = 'payout'`

/** Locks payouts and reads them, refunds left out. Their transactions are locked before. */
export const lock = (db: Db, ids: bigint[]): Promise<OrderedRow[]> =>
  db.sql`
    select id, transaction_id, rail, place, asset, amount, fee_asset, most_fee, state, destination from payouts
    where id = any(${ids}) and purpose = 'payout' order by id for update`

/** Marks payouts as covered. */
export const markReserved = (db: Atomic, ids: bigint[]): void =>
  db.send`update payouts set state = 'reserved' where id = any(${ids}) and state = 'waiting'`

/** A plan as it is written, before anything leaves. */
export type PlanRow = {
  id: bigint
  payoutId: bigint
  rail: string
  key: string
  dataKeyId: bigint
  body: Buffer
  at: Date
}

/** Keeps plans, and ties each to its payout. A plan with the key of another fails the block. */
export const insertPlans = (db: Atomic, rows: PlanRow[]): void => {
  db.send`
    insert into plans (id, rail, plan_key, state, data_key_id, body, planned_at)
    select id, rail, plan_key, 'planned', data_key_id, body, planned_at from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.rail)}::text[],
      ${rows.map((row) => row.key)}::text[], ${rows.map((row) => row.dataKeyId)}::bigint[],
      ${rows.map((row) => row.body)}::bytea[], ${rows.map((row) => row.at.toISOString())}::timestamptz[]
    ) as plan (id, rail, plan_key, data_key_id, body, planned_at)`
  db.send`
    update payouts set state = 'planned', plan_id = plan.id
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.payoutId)}::bigint[]) as plan (id, payout_id)
    where payouts.id = plan.payout_id`
}

/** A plan that is on its way, with the payout that it pays. */
export type SentRow = {
  id: bigint
  rail: string
  plan_key: string
  state: 'planned' | 'submitted' | 'done' | 'never' | 'unknown'
  /** Since when, in real time, the rail has given no clear answer; null: it has. */
  unknown_since: Date | null
  data_key_id: bigint
  wrapped_key: Buffer | null
  body: Buffer
  payout_id: bigint
  /** Null where money of nobody's goes back. */
  transaction_id: bigint | null
  refund_id: bigint | null
  place: string
  asset: string
  amount: bigint
  fee_asset: string | null
  most_fee: bigint | null
}

/** Reads plans with what they pay. */
export const readPlans = (db: Db, ids: bigint[]): Promise<SentRow[]> =>
  db.sql`
    select plans.id, plans.rail, plan_key, plans.state, unknown_since, plans.data_key_id, wrapped as wrapped_key, body,
      payouts.id as payout_id, transaction_id, refund_id, place, asset, amount, fee_asset, most_fee
    from plans
    join payouts on payouts.plan_id = plans.id
    join data_keys on data_keys.id = plans.data_key_id
    where plans.id = any(${ids}) order by plans.id`

/** Locks plans that have not ended, and gives their ids. */
export const lockOpenPlans = (db: Db, ids: bigint[]): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from plans where id = any(${ids}) and state in ('planned', 'submitted', 'unknown') order by id for update`

/** A plan's end: what the rail's evidence says. */
export type EndRow = { planId: bigint; payoutId: bigint; evidence: string; at: Date }

/** Writes down that plans were carried out. */
export const endPlans = (db: Atomic, rows: EndRow[]): void => {
  db.send`
    update plans set state = 'done', evidence = ended.evidence, ended_at = ended.at
    from unnest(${rows.map((row) => row.planId)}::bigint[], ${rows.map((row) => row.evidence)}::json[],
      ${rows.map((row) => row.at.toISOString())}::timestamptz[]) as ended (id, evidence, at)
    where plans.id = ended.id`
  db.send`update payouts set state = 'paid' where id = any(${rows.map((row) => row.payoutId)})`
}

/** Writes down that rails will never carry plans out: nothing has left, and nothing of them will. */
export const failPlans = (db: Atomic, rows: Omit<EndRow, 'evidence'>[]): void => {
  const ids = rows.map((row) => row.payoutId)
  db.send`
    update plans set state = 'never', ended_at = ended.at
    from unnest(${rows.map((row) => row.planId)}::bigint[], ${rows.map((row) => row.at.toISOString())}::timestamptz[])
      as ended (id, at)
    where plans.id = ended.id`
  db.send`update payouts set state = 'failed', reason = 'never' where id = any(${ids})`
}

/**
 * Writes down that the rail took plans and has given no answer yet (`submitted`), or none that can be understood (`unknown`): in
 * real time, since `at`, if it was not so before.
 */
export const markPlans = (db: Db, ids: bigint[], state: 'submitted' | 'unknown', at: Date): Promise<unknown[]> =>
  db.sql`
    update plans set state = ${state}, unknown_since = case when ${state} = 'unknown' then ${at}::timestamptz end
    where id = any(${ids}) and state in ('planned', 'submitted', 'unknown') and state <> ${state}`

/** Whether a transaction has payouts that have not ended, refunds apart, and their rails have taken every one. */
export const isTaken = async (db: Db, transactionId: bigint): Promise<boolean> => {
  const open = await db.sql<{ state: string }>`
    select plans.state from payouts join plans on plans.id = plan_id
    where transaction_id = ${transactionId} and purpose = 'payout' and plans.state in ('planned', 'submitted', 'unknown')`
  return open.length > 0 && open.every(({ state }) => state === 'submitted')
}

/** A payout that a rail speaks of by its plan's key. */
export type KeyedRow = {
  id: bigint
  transaction_id: bigint | null
  refund_id: bigint | null
  rail: string
  plan_key: string
  place: string
  asset: string
  amount: bigint
  state: PayoutState
}

/** Finds payouts by their plans' keys. */
export const byPlanKeys = (db: Db, rails: string[], keys: string[]): Promise<KeyedRow[]> =>
  db.sql`
    select payouts.id, transaction_id, refund_id, plans.rail, plan_key, place, asset, amount, payouts.state
    from plans join payouts on payouts.plan_id = plans.id
    join unnest(${rails}::text[], ${keys}::text[]) as told (rail, key) on plans.rail = told.rail and plan_key = told.key`

/** Marks a payout as come back. Gives nothing if it was not paid, or has come back before. */
export const markReturned = (db: Db, id: bigint): Promise<{ id: bigint }[]> =>
  db.sql`update payouts set state = 'failed', reason = 'returned' where id = ${id} and state = 'paid' returning id`

/** A payout of a transaction, as far as it decides what happens next. */
export type StandingRow = {
  id: bigint
  purpose: 'payout' | 'refund'
  refund_id: bigint | null
  number: number
  state: PayoutState
  reason: string | null
  place: string
  asset: string
  amount: bigint
  fee_asset: string | null
  most_fee: bigint | null
  hash: string | null
}

/** The payouts of a transaction, refunds too, in their order. */
export const ofTransaction = (db: Db, transactionId: bigint): Promise<StandingRow[]> =>
  db.sql`
    select payouts.id, purpose, refund_id, number, payouts.state, reason, place, asset, amount, fee_asset, most_fee,
      evidence ->> 'hash' as hash
    from payouts left join plans on plans.id = plan_id
    where transaction_id = ${transactionId} order by payouts.id`

/** Takes back orders of payouts that nobody has planned. */
export const cancel = (db: Atomic, ids: bigint[]): void =>
  db.send`update payouts set state = 'cancelled' where id = any(${ids}) and state in ('waiting', 'reserved')`
