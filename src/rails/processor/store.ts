import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { RailEvent, StatementLine } from '../rail.ts'

/** A thing at a processor; `disputes` is the list of all of them, asked for as one. */
export type ItemKind = 'payment' | 'refund' | 'payout' | 'dispute' | 'disputes'

/** What we remember of one thing at a processor. */
export type Item = {
  rail: string
  kind: ItemKind
  id: string
  /** The reference of the payment's order; for refunds and payouts, the key of the prepared payment. */
  reference: string
  /** What the processor answered last. */
  status: string
  /** Its money has moved. */
  settled: boolean
  opened_at: Date
}

/** Which thing is meant. */
export type ItemKey = Pick<Item, 'rail' | 'kind' | 'id'>

/** What was learned of a thing, and when it is asked about next; null for no more. */
export type ItemState = { status: string; settled: boolean; lookAt: Date | null }

/** Remembers a thing before the processor is asked to make it. One that is known keeps its state, and is asked about at `lookAt` at the latest. */
export const rememberItem = (
  db: Db,
  { rail, kind, id, reference }: ItemKey & { reference: string },
  { at, lookAt }: { at: Date; lookAt: Date },
): Promise<unknown[]> =>
  db.sql`
    insert into processor_items as known (rail, kind, id, reference, opened_at, look_at)
    values (${rail}, ${kind}, ${id}, ${reference}, ${at}, ${lookAt})
    on conflict (rail, kind, id) do update set look_at = least(known.look_at, excluded.look_at)`

export const findItem = async (db: Db, { rail, kind, id }: ItemKey): Promise<Item | undefined> =>
  (
    await db.sql<Item>`
      select rail, kind, id, reference, status, settled, opened_at from processor_items
      where rail = ${rail} and kind = ${kind} and id = ${id}`
  )[0]

/** The things of one reference, the oldest first. */
export const itemsOf = (
  db: Db,
  { rail, kind, reference }: Pick<Item, 'rail' | 'kind' | 'reference'>,
): Promise<Item[]> =>
  db.sql`
    select rail, kind, id, reference, status, settled, opened_at from processor_items
    where rail = ${rail} and kind = ${kind} and reference = ${reference} order by id`

/** Takes things that are due; other processes do not get them before `until`. */
export const takeDue = (db: Db, rail: string, { now, until }: { now: Date; until: Date }): Promise<Item[]> =>
  db.sql`
    update processor_items as item set look_at = ${until}
    from (
      select rail, kind, id from processor_items where rail = ${rail} and look_at <= ${now}
      order by look_at limit 20 for update skip locked) as due
    where item.rail = due.rail and item.kind = due.kind and item.id = due.id
    returning item.rail, item.kind, item.id, reference, status, settled, opened_at`

/** Writes down what was learned of a thing that is known. What has settled stays so. */
export const writeState = (db: Atomic, { rail, kind, id }: ItemKey, { status, settled, lookAt }: ItemState): void =>
  db.send`
    update processor_items set status = ${status}, settled = settled or ${settled}, look_at = ${lookAt}
    where rail = ${rail} and kind = ${kind} and id = ${id}`

/** The sign of what a rail event adds to what a processor holds; 0 for events that move no money. */
function signOf({ kind, dispute }: RailEvent): bigint {
  switch (kind) {
    case 'deposit_final':
    case 'payout_returned':
      return 1n
    case 'deposit_reversed':
    case 'payout_settled':
      return -1n
    case 'dispute_opened':
    case 'dispute_lost':
      return dispute?.fundsMoved ? -1n : 0n
    case 'dispute_won':
      return dispute?.fundsMoved ? 1n : 0n
    case 'deposit_seen':
    case 'deposit_declined':
    case 'payout_failed':
    case 'unknown':
      return 0n
  }
}

/** Adds what events moved to the account's statement, each once. `at` is business time. */
export function recordMovements(db: Atomic, rail: string, events: readonly RailEvent[], at: Date): void {
  for (const event of events) {
    const amount = signOf(event) * event.amount
    if (amount === 0n) continue
    const { key, payment, reference, asset } = event
    db.send`
      insert into processor_movements (rail, key, payment, reference, asset, amount, at)
      values (${rail}, ${key}, ${payment}, ${reference}, ${asset}, ${amount}, ${at}) on conflict (rail, key) do nothing`
  }
}

/** What the processor holds for us of an asset, by its own statements about every movement. */
export async function balanceOf(db: Db, rail: string, asset: string): Promise<bigint> {
  const [row] = await db.sql<{ amount: bigint }>`
    select coalesce(sum(amount), 0)::numeric(38, 0) as amount from processor_movements
    where rail = ${rail} and asset = ${asset}`
  return row?.amount ?? 0n
}

export const statementOf = (
  db: Db,
  rail: string,
  { since, until }: { since: Date; until: Date },
): Promise<StatementLine[]> =>
  db.sql`
    select payment, reference, asset, amount, at from processor_movements
    where rail = ${rail} and at >= ${since} and at < ${until} order by at, key`
