import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import {
  endPortalSession,
  type PortalSession,
  portalSessionOf,
  signInAtPortal,
} from '../../exchange/partners/portal-sessions.ts'
import { acceptPortalInvitation, readPortalInvitation } from '../../exchange/partners/portal-users.ts'
import { serveArea } from '../pages/area.ts'
import { serveInvitation } from '../pages/invitation.tsx'
import { calculatorPage } from './calculator.tsx'
import { docsPage } from './docs.tsx'
import { eventsPage } from './events.tsx'
import { keysPage } from './keys.tsx'
import { orderPage, ordersCsv, ordersPage } from './orders.tsx'
import { overviewPage } from './overview.tsx'
import type { Page, Visit } from './page.ts'
import { scenariosPage } from './scenarios.tsx'
import type { TestScenarios } from './test-scenarios.ts'
import { statementsCsv, statementsPage } from './statements.tsx'
import { teamPage } from './team.tsx'
import { themePage } from './theme.tsx'

/** Every page of the portal. */
export const pages: readonly Page[] = [
  overviewPage,
  ordersPage,
  ordersCsv,
  orderPage,
  eventsPage,
  keysPage,
  themePage,
  calculatorPage,
  statementsPage,
  statementsCsv,
  teamPage,
  docsPage,
  scenariosPage,
]

/** The pages of partners' people under `/portal`. Each shows what belongs to their own partner. */
export const buildPortal = (app: FastifyInstance, ctx: Ctx, scenarios?: TestScenarios): Promise<void> =>
  serveArea<PortalSession, Page, Visit>(app, ctx, {
    area: 'portal',
    pages,
    signIn: (typed) => signInAtPortal(ctx, typed),
    personOf: (token) => portalSessionOf(ctx, token),
    endSession: ({ sessionId }) => endPortalSession(ctx, sessionId),
    visit: (user, _page, visit) => ({ ...visit, user, scenarios }),
    also: (scope, tools) =>
      serveInvitation(scope, {
        ctx,
        area: 'portal',
        ...tools,
        read: async (token) => {
          const invited = await readPortalInvitation(ctx, token)
          return invited && { email: invited.email, sentence: `You are invited to the portal as ${invited.email}.` }
        },
        accept: (token, password) => acceptPortalInvitation(ctx, token, password),
      }),
  })
