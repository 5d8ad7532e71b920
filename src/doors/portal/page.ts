import type { ComponentChildren } from 'preact'

import type { PortalSession } from '../../exchange/partners/portal-sessions.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { AreaPage, AreaVisit } from '../pages/area.ts'
import { renderShell } from '../pages/shell.tsx'
import type { TestScenarios } from './test-scenarios.ts'

/** One request of somebody of a partner. Every page reads what belongs to `user.partnerId`, and nothing else. */
export type Visit = AreaVisit & { user: PortalSession; scenarios: TestScenarios | undefined }

/** One page of the portal. A new one is a file with such an object, and a line in `pages.ts`. */
export type Page = AreaPage<Visit>

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
    who: { name: visit.user.name || visit.user.partnerName, path: '/portal/team' },
    find: 'Find an order: id, e-mail, hash, amount',
    children,
  })

/** Refuses what only administrators of the partner may do. */
export function needAdmin({ user }: Pick<Visit, 'user'>): void {
  if (user.role !== 'admin') throw new Refusal('FORBIDDEN', 'Only an administrator of your account may do this.')
}
