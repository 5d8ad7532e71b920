import { badField } from '../../platform/lib/refusal.ts'

/** What an operator may see or do. Every page and action of the console names one. */
export type Permission =
  | 'orders.view'
  | 'orders.note'
  | 'orders.hold'
  | 'orders.release'
  | 'orders.refund'
  | 'orders.refund_any'
  | 'orders.cancel'
  | 'payouts.approve'
  | 'customers.view'
  | 'customers.block'
  | 'customers.export'
  | 'customers.erase'
  | 'partners.view'
  | 'partners.resend'
  | 'partners.manage'
  | 'money.view'
  | 'money.resolve'
  | 'money.close'
  | 'prices.view'
  | 'policies.propose'
  | 'policies.approve'
  | 'reports.view'
  | 'audit.view'
  | 'system.view'
  | 'system.halt'
  | 'system.manage'
  | 'team.view'
  | 'team.manage'

export const roles = ['viewer', 'support', 'finance', 'compliance', 'admin'] as const

export type Role = (typeof roles)[number]

const viewer: readonly Permission[] = [
  'orders.view',
  'partners.view',
  'money.view',
  'prices.view',
  'reports.view',
  'system.view',
]

const support: readonly Permission[] = [
  ...viewer,
  'orders.note',
  'orders.hold',
  'orders.release',
  'orders.refund',
  'orders.cancel',
  'customers.view',
  'partners.resend',
  'system.halt',
]

const finance: readonly Permission[] = [
  ...viewer,
  'orders.note',
  'orders.hold',
  'payouts.approve',
  'money.resolve',
  'money.close',
  'policies.propose',
  'audit.view',
  'system.halt',
]

const compliance: readonly Permission[] = [
  ...support,
  'orders.refund_any',
  'payouts.approve',
  'customers.block',
  'customers.export',
  'customers.erase',
  'audit.view',
  'team.view',
]

const all: readonly Permission[] = [
  ...new Set<Permission>([
    ...compliance,
    ...finance,
    'policies.approve',
    'partners.manage',
    'system.manage',
    'team.manage',
  ]),
]

/** Each role's permissions: the only place that says who may do what. */
export const permissionsOf: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  viewer: new Set(viewer),
  support: new Set(support),
  finance: new Set(finance),
  compliance: new Set(compliance),
  admin: new Set(all),
}

const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

/** A role by its name. BAD_REQUEST for an unknown one. */
export function readRole(text: string): Role {
  if (!isRole(text)) throw badField('role', `A role is one of: ${roles.join(', ')}.`)
  return text
}
