import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { ImportRow } from './imported.ts'

/** Who has taken a token over, and for whom. */
export const byToken = (db: Db, tokenHash: Buffer): Promise<{ partnerId: bigint; partnerCustomerId: bigint }[]> =>
  db.sql`
    select partner_id as "partnerId", partner_customer_id as "partnerCustomerId" from identity_imports
    where token_hash = ${tokenHash}`

/** An import to be written. `askedAt` is real time. */
export type NewImport = ImportRow & { tokenHash: Buffer; applicantHash: Buffer; askedAt: Date }

/** Writes an import; nothing if the token has been taken over. Waits for a block that is just doing that. */
export const insert = (db: Atomic, row: NewImport): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into identity_imports (id, partner_id, partner_customer_id, provider, token_hash, applicant_hash, data_key_id,
      personal, asked_at, changed_at, created_at)
    values (${row.id}, ${row.partnerId}, ${row.partnerCustomerId}, ${row.provider}, ${row.tokenHash},
      ${row.applicantHash}, ${row.dataKeyId}, ${row.personal}, ${row.askedAt}, ${row.changedAt}, ${row.changedAt})
    on conflict do nothing
    returning id`

/** The imports of one applicant at a provider. */
export const ofApplicant = (db: Db, applicantHash: Buffer): Promise<ImportRow[]> =>
  db.sql`
    select id, partner_id as "partnerId", partner_customer_id as "partnerCustomerId", provider,
      data_key_id as "dataKeyId", personal, changed_at as "changedAt"
    from identity_imports where applicant_hash = ${applicantHash} order by id`

/** Those that a partner has passed of an e-mail address, oldest change first; the key is null once the person is erased. */
export const ofPartnerCustomer = (
  db: Db,
  partnerCustomerId: bigint,
): Promise<(ImportRow & { wrapped: Buffer | null })[]> =>
  db.sql`
    select import.id, import.partner_id as "partnerId", import.partner_customer_id as "partnerCustomerId", provider,
      import.data_key_id as "dataKeyId", import.personal, changed_at as "changedAt", wrapped
    from identity_imports as import join data_keys on data_keys.id = import.data_key_id
    where import.partner_customer_id = ${partnerCustomerId} order by import.changed_at, import.id`

/** The applicant of an import. */
export const applicantOf = (db: Db, id: bigint): Promise<{ applicantHash: Buffer }[]> =>
  db.sql`select applicant_hash as "applicantHash" from identity_imports where id = ${id}`

/** What a provider answered about an import. `changedAt` is null where the answer was the one that is known. */
export type Answered = { id: bigint; personal: Buffer; askedAt: Date; changedAt: Date | null }

/** Keeps answers, each unless a later one is there already. */
export const save = (db: Atomic, rows: Answered[]): void =>
  db.send`
    update identity_imports as import set personal = new.personal, asked_at = new.asked_at,
      changed_at = coalesce(new.changed_at, import.changed_at)
    from unnest(
      ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ personal }) => personal)}::bytea[],
      ${rows.map(({ askedAt }) => askedAt.toISOString())}::timestamptz[],
      ${rows.map(({ changedAt }) => changedAt?.toISOString() ?? null)}::timestamptz[]
    ) as new (id, personal, asked_at, changed_at)
    where import.id = new.id and import.asked_at < new.asked_at`

/** A provider's report. `at` is the provider's time, `receivedAt` real time. */
export type ReviewReport = {
  provider: string
  key: string
  kind: string
  applicantHash: Buffer
  body: Record<string, string>
  at: Date | undefined
  receivedAt: Date
}

/** Stores reports once per key, and returns the new ones. */
export const insertFacts = (db: Atomic, facts: ReviewReport[]): Promise<{ id: bigint; kind: string }[]> =>
  db.sql`
    insert into identity_facts (provider, fact_key, kind, applicant_hash, body, at, received_at)
    select * from unnest(
      ${facts.map(({ provider }) => provider)}::text[], ${facts.map(({ key }) => key)}::text[],
      ${facts.map(({ kind }) => kind)}::text[], ${facts.map(({ applicantHash }) => applicantHash)}::bytea[],
      ${facts.map(({ body }) => JSON.stringify(body))}::json[],
      ${facts.map(({ at }) => at?.toISOString() ?? null)}::timestamptz[],
      ${facts.map(({ receivedAt }) => receivedAt.toISOString())}::timestamptz[])
    on conflict (provider, fact_key) do nothing
    returning id, kind`

export const fact = (db: Db, id: bigint): Promise<{ applicantHash: Buffer; receivedAt: Date }[]> =>
  db.sql`select applicant_hash as "applicantHash", received_at as "receivedAt" from identity_facts where id = ${id}`
