import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import type { Trait } from './traits.ts'

export type OwnTrait = Trait & { customerId: bigint }

/**
 * Adds what is known to belong to customers. Waits for other blocks that add the same, so that of two customers who share something
 * the second one knows of the first.
 */
export function addTraits(db: Atomic, traits: readonly OwnTrait[], at: Date): void {
  if (traits.length === 0) return
  db.send`
    with wanted as (
      select customer_id, kind, hash from unnest(${traits.map(({ customerId }) => customerId)}::bigint[],
        ${traits.map(({ kind }) => kind)}::text[], ${traits.map(({ hash }) => hash)}::bytea[]
      ) as trait (customer_id, kind, hash)),
    locked as materialized (
      select pg_advisory_xact_lock(hashtextextended(name, 1)) from (
        select distinct kind || ' ' || encode(hash, 'hex') as name from wanted order by name) as traits)
    insert into customer_traits (customer_id, kind, hash, first_seen_at)
    select customer_id, kind, hash, ${at} from wanted where (select count(*) from locked) > 0
    on conflict do nothing`
}

/** Keeps other blocks from counting what this person has, by whichever address, until the block ends. */
export const lockPerson = (db: Atomic, customerId: bigint): void =>
  db.send`
    select pg_advisory_xact_lock(hashtextextended('customer limit', id)) from (
      select same_person as id from same_person(${customerId}) order by 1) as person`

/** Whether another customer has paid with a card of this one. */
export const sharesCard = async (db: Db, customerId: bigint): Promise<boolean> =>
  one(
    await db.sql<{ shared: boolean }>`
      select exists (
        select from customer_traits as own join customer_traits as other using (kind, hash)
        where kind = 'card' and own.customer_id = ${customerId} and other.customer_id <> ${customerId}) as shared`,
  ).shared
