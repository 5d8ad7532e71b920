import type { Atomic, Db } from '../../platform/db/sql.ts'

/** Plain JSON. Never a secret or personal data: audit rows are kept forever, in clear text. */
export type AuditValue = { [name: string]: unknown } | null

/** Who changed what, and the value before and after. Null before a creation and after a removal. */
export type AuditEntry = {
  /** Business time. */
  at: Date
  /** `cli:root`, `operator:7`, `system`. */
  actor: string
  /** A noun and a verb in the past tense: `partner.created`, `key.revoked`. */
  action: string
  /** `partner:123`, `key:456`. */
  subject: string
  before: AuditValue
  after: AuditValue
}

/** A stored entry; a greater `id` was written later. */
export type AuditRow = AuditEntry & { id: bigint }

/** The latest `limit` entries with an id below `before`, of everything or of one partner. */
export type AuditFilter = { partnerId?: bigint | undefined; before?: bigint | undefined; limit: number }

/** Records a change in the atomic block that makes it. The service's role can neither change nor remove the row. */
export const recordAudit = (db: Atomic, { at, actor, action, subject, before, after }: AuditEntry): void =>
  db.send`
    insert into audit (at, actor, action, subject, before, after)
    values (${at}, ${actor}, ${action}, ${subject}, ${before}, ${after})`

/**
 * The latest changes, newest first. A partner's are those of its account and of every subject with an entry that names it as
 * `partner_id`: its keys, endpoints and payout addresses.
 */
export function listAudit(db: Db, { partnerId, before, limit }: AuditFilter): Promise<AuditRow[]> {
  if (partnerId === undefined) {
    return db.sql<AuditRow>`
      select id, at, actor, action, subject, before, after from audit
      where ${before ?? null}::bigint is null or id < ${before ?? null}
      order by id desc limit ${limit}`
  }
  return db.sql<AuditRow>`
    select id, at, actor, action, subject, before, after from audit
    where (${before ?? null}::bigint is null or id < ${before ?? null})
      and (subject = ${`partner:${partnerId}`}
        or subject in (select subject from audit where after ->> 'partner_id' = ${String(partnerId)}))
    order by id desc limit ${limit}`
}

/** All changes of one subject, oldest first. */
export const auditOf = (db: Db, subject: string): Promise<AuditEntry[]> =>
  db.sql<AuditEntry>`
    select at, actor, action, subject, before, after from audit where subject = ${subject} order by id`
