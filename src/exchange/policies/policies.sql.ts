import type { Db } from '../../platform/db/sql.ts'
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

/** What was approved, in the order of effect: of two from one moment the one that was proposed later holds. */
export const approved = (db: Db): Promise<ApprovedRow[]> =>
  db.sql`
    select id, kind, version, partner_id as "partnerId", effective_at as "effectiveAt", document from policies
    where approved_at is not null and rejected_at is null
    order by effective_at, id`

/** Version 1 of the kinds that have none. */
export const insertShipped = (db: Db, rows: readonly { kind: Kind; document: unknown }[]): Promise<unknown[]> =>
  db.sql`
    insert into policies (kind, version, document, author, reason, proposed_at, effective_at, approved_at, approved_by)
    select kind, 1, document, 'system', 'Shipped default.', 'epoch', 'epoch', 'epoch', 'system'
    from unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ document }) => JSON.stringify(document))}::jsonb[])
      as shipped (kind, document)
    where not exists (select from policies where policies.kind = shipped.kind and policies.version = 1)
    on conflict do nothing`
