/** Kinds of what the audit is about, in the order in which they are offered. */
export const subjectNouns = [
  'transaction',
  'orders',
  'payout',
  'deposit',
  'payment',
  'suspense',
  'break',
  'custody',
  'hedge',
  'rebalance',
  'day',
  'own_money_rule',
  'bank_file',
  'customer',
  'mail',
  'partner',
  'key',
  'endpoint',
  'payout_address',
  'portal',
  'policy',
  'market',
  'halt',
  'rail',
  'asset',
  'chain',
  'backup',
  'master_key',
  'ledger_key',
  'operator',
  'operator_key',
  'invitation',
] as const

/** What only actions name: it is a part of what they are about. */
export const partNouns = [
  'own_money',
  'balance',
  'bank_booking',
  'bank_account',
  'bank_statement',
  'restore',
  'feature',
  'portal_user',
  'operator_token',
] as const

export type SubjectNoun = (typeof subjectNouns)[number]

/** `partner:123`, `ledger_key`. */
export type AuditSubject = SubjectNoun | `${SubjectNoun}:${string}`

/** A noun and a verb in the past tense: `partner.created`, `key.revoked`. */
export type AuditAction = `${SubjectNoun | (typeof partNouns)[number]}.${string}`
