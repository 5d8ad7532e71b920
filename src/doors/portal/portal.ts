import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import {
  endPortalSessions,
  type PortalSession,
  portalSessionOf,
  portalDevice,
  signInAtPortal,
} from '../../exchange/partners/portal-sessions.ts'
import { signInAtPortalWithPasskey } from '../../exchange/partners/portal-passkeys.ts'
import { acceptPortalInvitation, readPortalInvitation } from '../../exchange/partners/portal-users.ts'
import { serveArea } from '../pages/serve-area.ts'
import { serveInvitation } from '../pages/invitation.tsx'
import { accountPage } from './account.tsx'
import { calculatorPage } from './calculator.tsx'
import { docsPage } from './docs.tsx'
import { eventsPage } from './events.tsx'
import { keysPage } from './keys.tsx'
import { orderPage, ordersCsv, ordersPage } from './orders.tsx'
import { overviewPage } from './overview.tsx'
import { actingUser, type Page, type Visit } from './page.ts'
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
  accountPage,
]

/** The pages of partners' people under `/portal`. Each shows what belongs to their own partner. */
export const buildPortal = (app: FastifyInstance, ctx: Ctx, scenarios?: TestScenarios): Promise<void> =>
  serveArea<PortalSession, Page, Visit>(app, ctx, {
    area: 'portal',
    pages,
    signIn: signInAtPortal,
    passkeySignIn: signInAtPortalWithPasskey,
    personOf: (token, isUse) => portalSessionOf(ctx, token, isUse),
    endSession: ({ id, sessionId }) => endPortalSessions(ctx, id, sessionId),
    visit: (user, _page, visit) => ({ ...visit, user, acting: actingUser(user), scenarios }),
    also: (scope, tools) =>
      serveInvitation(scope, {
        ctx,
        area: 'portal',
        ...tools,
        read: async (token) => {
          const invited = await readPortalInvitation(ctx, token)
          return invited && { email: invited.email, sentence: `You are invited to the portal as ${invited.email}.` }
        },
        accept: acceptPortalInvitation,
        deviceOf: (email) => portalDevice(ctx, email),
      }),
  })
