import type { Atomic } from '../../platform/db/sql.ts'

/** What a customer has accepted for a transaction; `at` is business time. */
export type AcceptedTerms = {
  transactionId: bigint
  customerId: bigint
  termsVersion: string
  termsUrl: string
  privacyVersion: string
  privacyUrl: string
  at: Date
}

/** Records what was accepted, once per transaction and versions. */
export const insertAccepted = (db: Atomic, row: AcceptedTerms): void =>
  db.send`
    insert into accepted_terms (transaction_id, customer_id, terms_version, terms_url, privacy_version, privacy_url, at)
    values (${row.transactionId}, ${row.customerId}, ${row.termsVersion}, ${row.termsUrl}, ${row.privacyVersion},
      ${row.privacyUrl}, ${row.at})
    on conflict (transaction_id, terms_version, privacy_version) do nothing`
