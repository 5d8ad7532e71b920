import { stopwatch } from './clock.ts'
import type { Log } from './log.ts'

/** What an attack, or a partner's mistake, looks like from here. */
export const securityEventKinds = [
  'bad_key',
  'bad_signature',
  'bad_code',
  'code_lockout',
  'forbidden',
  'rate_limited',
  'refused_origin',
  'sql_denied',
  'endpoint_added',
  'address_added',
  'sign_in_failed',
] as const
export type SecurityEventKind = (typeof securityEventKinds)[number]

/** What is known of an event, without personal data: the request's id, the id of an API key, the shortened network. */
export type SecurityFacts = {
  request_id?: string | undefined
  key_id?: string | undefined
  network?: string | undefined
  /** The pattern of a route. */
  route?: string | undefined
}

/** Counts security events, and writes each to the log; of many at once, the first of each second. */
export type SecurityEvents = {
  record(kind: SecurityEventKind, facts?: SecurityFacts): void
  /** How many there were since the process began. */
  count(kind: SecurityEventKind): number
}

/** What account holders and operators do every day: no warning, and nothing that their commands print. */
const ordinary = new Set<SecurityEventKind>(['endpoint_added', 'address_added'])

/** The most lines of one kind in a second: an attacker must not fill the disk. */
const mostLines = 5

export function openSecurityEvents(log: Log): SecurityEvents {
  const counts = new Map<SecurityEventKind, { total: number; lines: number; age: () => number }>()
  return {
    record: (kind, facts = {}) => {
      const known = counts.get(kind) ?? { total: 0, lines: 0, age: stopwatch() }
      const isNewSecond = known.age() >= 1_000
      const next = {
        total: known.total + 1,
        lines: isNewSecond ? 1 : known.lines + 1,
        age: isNewSecond ? stopwatch() : known.age,
      }
      counts.set(kind, next)
      if (next.lines > mostLines) return
      const line = { security: kind, count: next.total, ...facts }
      if (ordinary.has(kind)) log.info(line, 'A security event.')
      else log.warn(line, 'A security event.')
    },
    count: (kind) => counts.get(kind)?.total ?? 0,
  }
}
