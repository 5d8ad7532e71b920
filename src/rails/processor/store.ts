import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { RailEvent } from '../rail.ts'
import type { StatementLine, Withheld } from '../statement.ts'

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

/** A thing as it is now. Waits until others have written what they learned of it. */
export const lockItem = async (db: Atomic, { rail, kind, id }: ItemKey): Promise<Item | undefined> =>
  (
    await db.sql<Item>`
      select rail, kind, id, reference, status, settled, opened_at from processor_items
      where rail = ${rail} and kind = ${kind} and id = ${id} for update`
  )[0]

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
    case 'reversal_withdrawn':
      return 1n
    case 'deposit_reversed':
    case 'deposit_withdrawn':
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

/** Locks payments for the block: of two that read one at a moment, the second one must see what the first one has recorded. */
const lockPayments = (db: Atomic, rail: string, events: readonly Pick<RailEvent, 'payment'>[]): void =>
  db.send`
    select pg_advisory_xact_lock(hashtextextended(${`statement of ${rail} `} || payment, 0)) from (
      select distinct payment from unnest(${events.map(({ payment }) => payment)}::text[]) as those (payment)
      order by payment) as payments`

/**
 * Adds what events moved to the account's statement, each once. A payment moves what has come of it by now less what had before; a
 * dispute what it withholds less what it did before. An event that is out of date moves nothing. `at` is business time.
 */
export function recordMovements(db: Atomic, rail: string, events: readonly RailEvent[], at: Date): void {
  if (events.length > 0) lockPayments(db, rail, events)
  for (const event of events) {
    const amount = signOf(event) * event.amount
    if (amount === 0n) continue
    const { key, payment, reference, asset, dispute } = event
    if (dispute) {
      const step = (dispute.round ?? 0) * 2 + (event.kind === 'dispute_won' ? 1 : 0)
      const withheld = amount < 0n ? amount : 0n
      db.send`
        insert into processor_movements (rail, key, payment, reference, asset, amount, at, dispute, step)
        select ${rail}, ${key}, ${payment}, ${reference}, ${asset},
          case when coalesce(max(step), -1) > ${step} then 0 else ${withheld} - coalesce(sum(amount), 0) end, ${at},
          ${dispute.id}, ${step}
        from processor_movements where rail = ${rail} and dispute = ${dispute.id} and asset = ${asset}
        on conflict (rail, key) do nothing`
    } else if (event.kind === 'deposit_final') {
      db.send`
        insert into processor_movements (rail, key, payment, reference, asset, amount, at)
        select ${rail}, ${key}, ${payment}, ${reference}, ${asset}, greatest(${amount} - coalesce(sum(amount), 0), 0), ${at}
        from processor_movements
        where rail = ${rail} and payment = ${payment} and asset = ${asset} and amount > 0 and dispute is null
        on conflict (rail, key) do nothing`
    } else {
      db.send`
        insert into processor_movements (rail, key, payment, reference, asset, amount, at)
        values (${rail}, ${key}, ${payment}, ${reference}, ${asset}, ${amount}, ${at}) on conflict (rail, key) do nothing`
    }
  }
}

/**
 * Adds an `unknown` event for each payment that a processor now says is less than it was. That takes nothing back: refunds, reversals and
 * disputes do, and say so. A person asks the processor.
 */
export async function nameLess(db: Db, rail: string, events: readonly RailEvent[]): Promise<RailEvent[]> {
  const final = events.filter(({ kind }) => kind === 'deposit_final')
  if (final.length === 0) return [...events]
  const known = await db.sql<{ payment: string; asset: string; amount: bigint }>`
    select payment, asset, sum(amount)::numeric(38, 0) as amount from processor_movements
    where rail = ${rail} and payment = any(${final.map(({ payment }) => payment)}) and amount > 0 and dispute is null
    group by payment, asset`
  const less = final.filter((event) =>
    known.some(
      ({ payment, asset, amount }) => payment === event.payment && asset === event.asset && amount > event.amount,
    ),
  )
  return [
    ...events,
    ...less.map((event) => ({ ...event, key: `${event.payment}:less:${event.amount}`, kind: 'unknown' as const })),
  ]
}

/** Notes a change that is no payment of anybody's, such as a payout to us: its statement leaves it out. `at` is business time. */
export const recordChange = (
  db: Atomic,
  rail: string,
  { key, asset, amount, at }: { key: string; asset: string; amount: bigint; at: Date },
): void =>
  db.send`
    insert into processor_movements (rail, key, payment, reference, asset, amount, at)
    values (${rail}, ${`payout:${key}`}, '', '', ${asset}, ${amount}, ${at})`

/**
 * Notes what is booked because of a dispute whose currency is not its payment's: the processor withholds it in the payment's, at a rate
 * that shows when it pays out. What the dispute's own currency had is taken out. `at` is business time.
 */
export function recordWithheld(
  db: Atomic,
  rail: string,
  { event, payment, dispute, asset, amount, at }: Withheld,
): void {
  lockPayments(db, rail, [{ payment }])
  db.send`
    insert into processor_movements (rail, key, payment, reference, asset, amount, at, dispute)
    select ${rail}, ${`withheld:${event}:`} || asset, ${payment}, ${payment}, asset,
      case when asset = ${asset} then ${-amount}::numeric else 0 end - sum(amount), ${at}, ${dispute}
    from (
      select asset, amount from processor_movements where rail = ${rail} and dispute = ${dispute}
      union all select ${asset}, 0) as own
    group by asset
    on conflict (rail, key) do nothing`
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
    where rail = ${rail} and at >= ${since} and at < ${until} and amount <> 0 and payment <> '' order by at, key`
