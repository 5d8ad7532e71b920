import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Kind } from './kinds.ts'

/** A version that was approved. `document` null: from then on the partner has the house's again. */
export type ApprovedRow = {
  id: bigint
  kind: Kind
  version: number
  partnerId: bigint | null
  effectiveAt: Date
  document: unknown
}

/** A version, and what its row says became of it. */
export type PolicyRow = ApprovedRow & {
  author: string
  reason: string
  approvedAt: Date | null
  rejectedAt: Date | null
}

export const all = (db: Db): Promise<PolicyRow[]> =>
  db.sql`
    select id, kind, version, partner_id as "partnerId", effective_at as "effectiveAt", document, author, reason,
      approved_at as "approvedAt", rejected_at as "rejectedAt"
    from policies order by id`

/** Keeps others from writing policies until the block ends, so that versions are counted one by one. */
export const lockPolicies = (db: Atomic): void => db.send`select pg_advisory_xact_lock(hashtextextended('policies', 0))`

/** What ships, as the next version of its kind: the first one, unless somebody else has written one before. */
export const insertShipped = (db: Db, rows: readonly { kind: Kind; document: unknown }[]): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into policies (kind, version, document, author, reason, proposed_at, effective_at, approved_at, approved_by)
    select kind, (select coalesce(max(version), 0) + 1 from policies where policies.kind = shipped.kind),
      document, 'system', 'Shipped default.', 'epoch', 'epoch', 'epoch', 'system'
    from unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ document }) => JSON.stringify(document))}::jsonb[])
      as shipped (kind, document)
    returning id`
