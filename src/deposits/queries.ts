import type { Atomic, Db } from '../db/sql.ts'
import type { Fact } from '../rails/rail.ts'

/** A fact with the rail that told it. */
export type ToldFact = Fact & { rail: string }

/** Keeps facts, once per rail and key. Gives the ids of those that are new. */
export const insertFacts = (db: Db, facts: ToldFact[], at: Date): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into facts (rail, fact_key, kind, reference, body, received_at)
    select rail, fact_key, kind, reference, body, ${at} from unnest(
      ${facts.map((fact) => fact.rail)}::text[], ${facts.map((fact) => fact.key)}::text[],
      ${facts.map((fact) => fact.kind)}::text[], ${facts.map((fact) => fact.reference)}::text[],
      ${facts.map((fact) => JSON.stringify({ ...fact.body, asset: fact.asset, amount: String(fact.amount) }))}::json[]
    ) as fact (rail, fact_key, kind, reference, body)
    on conflict (rail, fact_key) do nothing
    returning id`

/** A fact beside the instruction whose reference it repeats; the instruction's columns are null where there is none. */
export type MatchedRow = {
  id: bigint
  rail: string
  kind: Fact['kind']
  reference: string
  body: { asset: string; amount: string } & Record<string, string>
  received_at: Date
  transaction_id: bigint | null
  asset: string | null
  amount: bigint | null
  booked: boolean
}

/** Reads facts with the instructions they answer, in the order in which they were received. */
export const matchFacts = (db: Db, ids: bigint[]): Promise<MatchedRow[]> =>
  db.sql`
    select facts.id, facts.rail, kind, facts.reference, body, received_at, deposit_instructions.transaction_id,
      deposit_instructions.asset, deposit_instructions.amount,
      exists (select 1 from deposits where fact_id = facts.id) as booked
    from facts left join deposit_instructions
      on deposit_instructions.rail = facts.rail and deposit_instructions.reference = facts.reference
    where facts.id = any(${ids}) order by facts.id`

/** Where a customer is told to pay. */
export type InstructionRow = {
  transactionId: bigint
  rail: string
  reference: string
  asset: string
  amount: bigint
  at: Date
}

/** Keeps instructions. */
export const insertInstructions = (db: Atomic, rows: InstructionRow[]): void =>
  db.send`
    insert into deposit_instructions (transaction_id, rail, reference, asset, amount, created_at)
    select * from unnest(
      ${rows.map((row) => row.transactionId)}::bigint[], ${rows.map((row) => row.rail)}::text[],
      ${rows.map((row) => row.reference)}::text[], ${rows.map((row) => row.asset)}::text[],
      ${rows.map((row) => row.amount)}::numeric[], ${rows.map((row) => row.at.toISOString())}::timestamptz[])`

/** The latest instruction of a transaction. */
export const instructionOf = (
  db: Db,
  transactionId: bigint,
): Promise<{ rail: string; reference: string; asset: string; amount: bigint }[]> =>
  db.sql`
    select rail, reference, asset, amount from deposit_instructions
    where transaction_id = ${transactionId} order by id desc limit 1`

/** A deposit as it is booked. */
export type DepositRow = {
  id: bigint
  transactionId: bigint | null
  factId: bigint
  rail: string
  asset: string
  amount: bigint
  state: 'seen' | 'final'
  at: Date
}

/** Keeps deposits. A fact that made a deposit before fails the block. */
export const insertDeposits = (db: Atomic, rows: DepositRow[]): void =>
  db.send`
    insert into deposits (id, transaction_id, fact_id, rail, asset, amount, state, at)
    select * from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.transactionId)}::bigint[],
      ${rows.map((row) => row.factId)}::bigint[], ${rows.map((row) => row.rail)}::text[],
      ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[],
      ${rows.map((row) => row.state)}::text[], ${rows.map((row) => row.at.toISOString())}::timestamptz[])`

/** Whether money of a transaction has been seen: a deposit, or a fact about one that is not settled yet. */
export const moneySeen = async (db: Db, transactionId: bigint): Promise<boolean> => {
  const rows = await db.sql`
    select 1 from deposits where transaction_id = ${transactionId}
    union all
    select 1 from deposit_instructions join facts using (rail, reference)
      where transaction_id = ${transactionId} and kind in ('deposit.seen', 'deposit.final')
    limit 1`
  return rows.length > 0
}
