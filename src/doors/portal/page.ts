import type { ComponentChildren } from 'preact'

import { showPartner } from '../../exchange/partners/find.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import type { PortalSession } from '../../exchange/partners/portal-sessions.ts'
import { portalSubject } from '../../exchange/partners/portal-users.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Acting, grouping } from '../pages/actions.tsx'
import type { AreaPage, AreaVisit } from '../pages/area.ts'
import { renderShell } from '../pages/shell.tsx'
import type { TestScenarios } from './test-scenarios.ts'

/** One request of somebody of a partner. Every page reads what belongs to `user.partnerId`, and nothing else. */
export type Visit = AreaVisit & { user: PortalSession; acting: Acting; scenarios: TestScenarios | undefined }

/** One page of the portal. A new one is a file with such an object, and a line in `pages.ts`. */
export type Page = AreaPage<Visit>

/** Where people change what opens the portal for them. */
export const accountPath = '/portal/account'

const menu = [
  { path: '/portal', name: 'Overview' },
  { path: '/portal/orders', name: 'Orders' },
  { path: '/portal/events', name: 'Webhooks' },
  { path: '/portal/keys', name: 'API keys' },
  { path: '/portal/theme', name: 'Theme' },
  { path: '/portal/calculator', name: 'Calculator' },
  { path: '/portal/statements', name: 'Statements' },
  { path: '/portal/team', name: 'Team' },
  { path: '/portal/docs', name: 'Docs' },
]

const rehearsing = { path: '/portal/scenarios', name: 'Test scenarios' }

/** A whole page of the portal. */
export const renderPage = (visit: Visit, title: string, children: ComponentChildren): string =>
  renderShell({
    area: 'portal',
    visit,
    title,
    menu: visit.scenarios ? [...menu, rehearsing] : menu,
    who: { name: visit.user.name || visit.user.partnerName, path: accountPath },
    find: 'Find an order: id, e-mail, hash, amount',
    children,
  })

/** Somebody of a partner, as actions take one. */
export const actingUser = ({ id, role }: PortalSession): Acting => ({
  may: ({ atPortal }) => atPortal !== undefined && (role === 'admin' || atPortal === 'member'),
  by: () => Promise.resolve({ actor: portalSubject(id), operator: undefined }),
})

/** What the forms of the portal are about: one's own partner. */
export const ownPartner = ({ ctx, user }: Visit): Promise<Partner> => showPartner(ctx, user.partnerId)

/** Refuses what only administrators of the partner may do. */
export function needAdmin({ user }: Pick<Visit, 'user'>): void {
  if (user.role !== 'admin') throw new Refusal('FORBIDDEN', 'Only an administrator of your account may do this.')
}

/** A visit that sends a form of its page. */
export type FormVisit = Visit & { form: URLSearchParams }

/** Actions of a page of the portal. */
export const group = grouping<FormVisit>()
