import type { SubjectNoun } from '../../exchange/audit/nouns.ts'

/** The route of a subject's page, or why it has no page. `of`: it is the page of its partner. */
type Place = { route: string; of?: 'partner' } | { none: string }

const money = { route: '/console/money' }
const prices = { route: '/console/prices' }
const system = { route: '/console/system' }
const team = { route: '/console/team' }
const ofPartner = { route: '/console/partners/:id', of: 'partner' } as const
const ofMachine = { none: 'It is in a file of the machine, which no page shows.' }

/** Where each kind of subject is looked at. */
export const places: Readonly<Record<SubjectNoun, Place>> = {
  transaction: { route: '/console/orders/:id' },
  orders: { route: '/console/orders' },
  payout: money,
  deposit: money,
  payment: money,
  suspense: money,
  break: money,
  custody: money,
  hedge: money,
  rebalance: money,
  day: money,
  own_money_rule: money,
  bank_file: money,
  customer: { route: '/console/customers/:id' },
  mail: { none: 'The audit keeps a digest of the address alone, which names no person.' },
  partner: { route: '/console/partners/:id' },
  key: ofPartner,
  endpoint: ofPartner,
  payout_address: ofPartner,
  portal: ofPartner,
  policy: { route: '/console/prices/:kind' },
  market: prices,
  halt: system,
  rail: system,
  asset: system,
  chain: system,
  backup: ofMachine,
  master_key: ofMachine,
  ledger_key: ofMachine,
  operator: team,
  operator_key: { route: '/console/passkeys' },
  invitation: team,
}

const placeOf = (noun: string): Place | undefined => (places as Readonly<Record<string, Place | undefined>>)[noun]

/** Whether the page of a subject is its partner's. */
export function isOfPartner(subject: string): boolean {
  const place = placeOf(nounOf(subject))
  return place !== undefined && 'of' in place
}

/** The page of a subject; undefined where it has none, or its partner is not known. */
export function pageOf(subject: string, partner: string | undefined): string | undefined {
  const place = placeOf(nounOf(subject))
  if (place === undefined || 'none' in place) return undefined
  const id = place.of ? partner : subject.split(':')[1]
  return id === undefined && place.route.includes(':') ? undefined : place.route.replace(/:\w+$/, id ?? '')
}

const nounOf = (subject: string): string => subject.split(':')[0] ?? ''
