import type { Atomic, Db } from '../../platform/db/sql.ts'
import * as queries from './queries.ts'

/** A plain value as JSON has it. Never a secret and never a person's data: audit rows are kept for ever, in clear. */
export type AuditValue = { [name: string]: unknown } | null

/** Who changed what, when, and what stood there before and after. Null where there was nothing, or nothing is left. */
export type AuditEntry = {
  /** Business time. */
  at: Date
  /** Who did it: `cli:root`, `operator:7`, `system`. */
  actor: string
  /** What was done, as a noun and a verb in the past tense: `partner.created`, `key.revoked`. */
  action: string
  /** What it was done to: `partner:123`, `key:456`. */
  subject: string
  before: AuditValue
  after: AuditValue
}

/** Writes down a change in the atomic block that makes it: neither can be there without the other. */
export const recordAudit = (db: Atomic, entry: AuditEntry): void => queries.insert(db, entry)

/** What to read of the audit: the latest `most` entries older than `before`, of everything or of one partner. */
export type AuditAsked = { partnerId?: bigint | undefined; before?: bigint | undefined; most: number }

/** An entry as it stands in the audit; a greater `id` was written later. */
export type AuditRow = AuditEntry & { id: bigint }

/**
 * The latest changes, newest first. Those of one partner are all that were made to its account and to what was ever written
 * down as belonging to it: its keys, endpoints and payout addresses.
 */
export const listAudit = (db: Db, asked: AuditAsked): Promise<AuditRow[]> => queries.latest(db, asked)

/** What was done to one subject, oldest first. */
export const auditOf = (db: Db, subject: string): Promise<AuditEntry[]> => queries.ofSubject(db, subject)
