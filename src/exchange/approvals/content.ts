import { createHash, createHmac } from 'node:crypto'

import type { Secrets } from '../../platform/privacy/master-key.ts'

/** What one decides about. Each is a row of a table, whose id is the content's. */
export type ContentKind =
  | 'operator'
  | 'operator_key'
  | 'operator_key_ended'
  | 'payout'
  | 'payout_end'
  | 'hedge'
  | 'rebalance'
  | 'policy'
  | 'policy_in_force'
  | 'policy_rejected'
  | 'resume'
  | 'bank_file'
  | 'bank_booking'
  | 'charge'

/** What is approved, exactly: everything that decides what happens then. Amounts are decimal text, times are ISO 8601. */
export type Content = Readonly<{ kind: ContentKind; id: string; [name: string]: unknown }>

/** JSON with the names of every object in order, so that one content has one text. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonicalText(one)).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    const sorted = fields.toSorted(([one], [other]) => (one < other ? -1 : 1))
    return `{${sorted.map(([name, field]) => `${JSON.stringify(name)}:${canonicalText(field)}`).join(',')}}`
  }
  return JSON.stringify(value)
}

/**
 * What is signed: the SHA-256 of the content, and of a salt that only the master key gives. Content has personal data, and its hash is
 * stored: without the salt, somebody with the database could try addresses until one fits.
 */
export function hashOfContent(secrets: Pick<Secrets, 'keyFor'>, content: Content): Buffer {
  const salt = createHmac('sha256', secrets.keyFor('approvals')).update(`salt ${content.kind} ${content.id}`).digest()
  return createHash('sha256')
    .update(`cambio approval 1\n${salt.toString('hex')}\n${canonicalText(content)}`)
    .digest()
}
