import type { Atomic, Database, Db } from '../../platform/db/sql.ts'
import type { AuditAction, AuditSubject } from './nouns.ts'
import { currentAction, currentOrigin } from './origin.ts'

/** Plain JSON. Never a secret or personal data: audit rows are kept forever, in clear text. */
export type AuditValue = { [name: string]: unknown } | null

/** Who changed what, and the value before and after. Null before a creation and after a removal. */
export type AuditEntry = {
  /** Business time. */
  at: Date
  /** `cli:root`, `operator:7`, `system`. */
  actor: string
  action: AuditAction
  subject: AuditSubject
  before: AuditValue
  after: AuditValue
}

/**
 * A stored entry; a greater `id` was written later. `origin`: the address or the machine's user that it came from. `byAction`: the
 * action that somebody did, `payout.approve`; null for what the service or the API did.
 */
export type AuditRow = AuditEntry & { id: bigint; origin: string | null; byAction: string | null }

/** The latest `limit` entries with an id below `before`, of everything, or only those that fit. */
export type AuditFilter = {
  partnerId?: bigint | undefined
  before?: bigint | undefined
  limit: number
  /** Any of these actors. */
  actors?: readonly string[] | undefined
  /** An action, or a noun: `payout` for all `payout.` actions, and all that was done with payouts. */
  action?: string | undefined
  byAction?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
  /** An id or a whole subject, else a part of an action, of a subject or of what was written; the latter within the latest entries. */
  text?: string | undefined
}

/** Records a change in the atomic block that makes it. The service's role can neither change nor remove the row. */
export const recordAudit = (db: Atomic, entry: AuditEntry): void =>
  insert((strings, ...values) => db.send(strings, ...values), entry)

/** Records at once what stays true where the block that found it is undone. `db` is not that block. */
export const recordAuditAtOnce = (db: Database, entry: AuditEntry): Promise<unknown> =>
  insert((strings, ...values) => db.sql(strings, ...values), entry)

const insert = <Sent>(
  send: (strings: TemplateStringsArray, ...values: unknown[]) => Sent,
  { at, actor, action, subject, before, after }: AuditEntry,
): Sent => {
  const [origin, byAction] = actor === 'system' ? [null, null] : [currentOrigin(), currentAction()]
  return send`
    insert into audit (at, actor, action, subject, before, after, origin, by_action)
    values (${at}, ${actor}, ${action}, ${subject}, ${before}, ${after}, ${origin}, ${byAction})`
}

/**
 * The latest changes, newest first. A partner's are those of its account and of every subject with an entry that names it as
 * `partner_id`: its keys, endpoints and payout addresses.
 */
export function listAudit(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { partnerId, before, limit } = filter
  if (partnerId !== undefined) {
    return db.sql<AuditRow>`
      select id, at, actor, action, subject, before, after, origin, by_action as "byAction" from audit
      where (${before ?? null}::bigint is null or id < ${before ?? null})
        and (subject = ${`partner:${partnerId}`}
          or subject in (select subject from audit where after ->> 'partner_id' = ${String(partnerId)}))
      order by id desc limit ${limit}`
  }
  return db.sql<AuditRow>`
    with bounds as (
      select case when ${isRead(filter)} then greatest((select max(id) from audit) - ${mostRead}::bigint, 0) else 0 end as above)
    select id, at, actor, action, subject, before, after, origin, by_action as "byAction" from audit, bounds
    where id > bounds.above and (${before ?? null}::bigint is null or id < ${before ?? null})
      and (${filter.actors ?? null}::text[] is null or actor = any(${filter.actors ?? null}::text[]))
      and (${filter.action ?? null}::text is null or action = ${filter.action ?? null}
        or ${filter.action ?? null} in (split_part(action, '.', 1), split_part(subject, ':', 1)))
      and (${filter.byAction ?? null}::text is null or by_action = ${filter.byAction ?? null})
      and (${filter.since ?? null}::timestamptz is null or at >= ${filter.since ?? null})
      and (${filter.until ?? null}::timestamptz is null or at < ${filter.until ?? null})
      and (${idIn(filter)}::text is null or split_part(subject, ':', 2) = ${idIn(filter)})
      and (not ${isRead(filter)}::boolean or action ilike ${likeOf(filter)} or subject ilike ${likeOf(filter)}
        or before::text ilike ${likeOf(filter)} or after::text ilike ${likeOf(filter)} or origin ilike ${likeOf(filter)}
        or by_action ilike ${likeOf(filter)})
    order by id desc limit ${limit}`
}

/** A text that is no id is looked for in so many of the latest entries. */
const mostRead = 100_000n

const idIn = ({ text }: AuditFilter): string | null => /^(?:[a-z_]+:)?(\d{1,20})$/.exec(text ?? '')?.[1] ?? null
const isRead = (filter: AuditFilter): boolean => (filter.text ?? '') !== '' && idIn(filter) === null
const likeOf = ({ text }: AuditFilter): string => `%${(text ?? '').replaceAll(/[\\%_]/g, (one) => `\\${one}`)}%`

/** The reasons that were given with an action, by subject and actor: `payout:12 operator:7`. Of several, the last one. */
export async function reasonsOf(db: Db, action: string, subjects: readonly string[]): Promise<Map<string, string>> {
  const given = await db.sql<{ who: string; reason: string }>`
    select subject || ' ' || actor as who, after ->> 'reason' as reason from audit
    where subject = any(${subjects}) and action = ${action} and after ->> 'reason' is not null order by id`
  return new Map(given.map(({ who, reason }) => [who, reason]))
}

/** The partners whose these subjects are, by an entry that says so, such as the one that made them. */
export async function partnersOf(db: Db, subjects: readonly string[]): Promise<Map<string, string>> {
  if (subjects.length === 0) return new Map()
  const known = await db.sql<{ subject: string; partner: string }>`
    select distinct on (subject) subject, after ->> 'partner_id' as partner from audit
    where subject = any(${subjects}) and after ->> 'partner_id' is not null`
  return new Map(known.map(({ subject, partner }) => [subject, partner]))
}

/** All changes of one subject, oldest first. */
export const auditOf = (db: Db, subject: string): Promise<AuditEntry[]> =>
  db.sql<AuditEntry>`
    select at, actor, action, subject, before, after from audit where subject = ${subject} order by id`
