import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { ImportRow } from './imported.ts'

/** A check that a customer began; what the provider knows is null until it has answered, its key once the person is erased. */
export type CheckRow = {
  reference: string
  importId: bigint
  provider: string
  isTaken: boolean
  dataKeyId: bigint | null
  personal: Buffer | null
  partnerId: bigint | null
  partnerCustomerId: bigint | null
  changedAt: Date | null
  wrapped: Buffer | null
}

export const lastCheck = (db: Db, customerId: bigint): Promise<CheckRow[]> =>
  db.sql`
    select reference, import_id as "importId", checks.provider, import.id is not null as "isTaken",
      import.data_key_id as "dataKeyId", import.personal, import.partner_id as "partnerId",
      import.partner_customer_id as "partnerCustomerId", import.changed_at as "changedAt", wrapped
    from identity_checks as checks left join identity_imports as import on import.id = import_id
    left join data_keys on data_keys.id = import.data_key_id
    where checks.customer_id = ${customerId} order by checks.id desc limit 1`

/** Writes down that a check begins. */
export const insertCheck = (
  db: Atomic,
  row: { reference: string; customerId: bigint; provider: string; importId: bigint; startedAt: Date },
): void =>
  db.send`
    insert into identity_checks (reference, customer_id, provider, import_id, started_at)
    values (${row.reference}, ${row.customerId}, ${row.provider}, ${row.importId}, ${row.startedAt})`

/** The import that a row of a check has become. */
export const importRowOf = (row: CheckRow): ImportRow | undefined =>
  row.dataKeyId === null ||
  row.personal === null ||
  row.partnerId === null ||
  row.partnerCustomerId === null ||
  row.changedAt === null
    ? undefined
    : {
        id: row.importId,
        provider: row.provider,
        dataKeyId: row.dataKeyId,
        personal: row.personal,
        partnerId: row.partnerId,
        partnerCustomerId: row.partnerCustomerId,
        changedAt: row.changedAt,
      }
