import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Kind } from '../policies/kinds.ts'

/** A version as it is stored. */
export type ProposalRow = {
  id: bigint
  kind: Kind
  version: number
  partnerId: bigint | null
  document: unknown
  author: string
  reason: string
  proposedAt: Date
  effectiveAt: Date
  approvedBy: string | null
  approvedAt: Date | null
  rejectedBy: string | null
  rejectedAt: Date | null
  /** The version that it was drafted on, and what its author was shown; null in rows of before they were kept. */
  basedOn: number | null
  difference: string[] | null
  dryRun: unknown
}

export const insert = (
  db: Atomic,
  row: Omit<ProposalRow, 'id' | 'version' | 'approvedBy' | 'approvedAt' | 'rejectedBy' | 'rejectedAt'>,
): Promise<{ id: bigint; version: number }[]> =>
  db.sql`
    insert into policies (kind, version, partner_id, document, author, reason, proposed_at, effective_at, based_on, difference, dry_run)
    select ${row.kind}, coalesce(max(version), 0) + 1, ${row.partnerId}, ${document(row)}::jsonb, ${row.author}, ${row.reason},
      ${row.proposedAt}, ${row.effectiveAt}, ${row.basedOn}, ${JSON.stringify(row.difference)}::jsonb,
      ${JSON.stringify(row.dryRun)}::jsonb
    from policies where kind = ${row.kind}
    returning id, version`

const document = (row: { document: unknown }): string | null =>
  row.document === null ? null : JSON.stringify(row.document)

export const lock = async (db: Atomic, id: bigint): Promise<ProposalRow | undefined> =>
  (
    await db.sql<ProposalRow>`
      select id, kind, version, partner_id as "partnerId", document, author, reason, proposed_at as "proposedAt",
        effective_at as "effectiveAt", approved_by as "approvedBy", approved_at as "approvedAt",
        rejected_by as "rejectedBy", rejected_at as "rejectedAt",
        based_on as "basedOn", difference, dry_run as "dryRun"
      from policies where id = ${id} for update`
  )[0]

export const approve = (db: Atomic, { id, by, at }: { id: bigint; by: string; at: Date }): void =>
  db.send`update policies set approved_by = ${by}, approved_at = ${at} where id = ${id}`

export const reject = (db: Atomic, { id, by, at }: { id: bigint; by: string; at: Date }): void =>
  db.send`update policies set rejected_by = ${by}, rejected_at = ${at} where id = ${id}`

/** Every version of a kind, the newest first; of all kinds without one. One that was approved late takes effect then. */
export const history = (db: Db, kind: Kind | null): Promise<ProposalRow[]> =>
  db.sql`
    select id, kind, version, partner_id as "partnerId", document, author, reason, proposed_at as "proposedAt",
      greatest(effective_at, approved_at) as "effectiveAt", approved_by as "approvedBy", approved_at as "approvedAt",
      rejected_by as "rejectedBy", rejected_at as "rejectedAt",
        based_on as "basedOn", difference, dry_run as "dryRun"
    from policies where ${kind}::text is null or kind = ${kind} order by id desc`
