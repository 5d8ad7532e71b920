import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import type { Permission } from '../../exchange/operators/roles.ts'
import { permissionsOf } from '../../exchange/operators/roles.ts'
import { endSessions, operatorOfSession, type SignedIn } from '../../exchange/operators/session.ts'
import { signInWithPasskey } from '../../exchange/operators/passkeys.ts'
import { signIn } from '../../exchange/operators/sign-in.ts'
import { deviceOf } from '../../exchange/sign-in/device.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { acceptInvitation, readInvitation } from '../../exchange/operators/invitation.ts'
import { serveArea } from '../pages/serve-area.ts'
import { serveInvitation } from '../pages/invitation.tsx'
import { actingOperator } from './acting.tsx'
import { accountPath, keysPath, type Page, type Visit } from './page.ts'
import { pages } from './pages.ts'

/** The operators' pages under `/console`. Every page names the permission that it needs; without it the answer is 403. */
export const buildConsole = (app: FastifyInstance, ctx: Ctx): Promise<void> =>
  serveArea<SignedIn, Page, Visit>(app, ctx, {
    area: 'console',
    pages,
    signIn,
    passkeySignIn: signInWithPasskey,
    personOf: (token, isUse) => operatorOfSession(ctx, token, isUse),
    endSession: ({ operatorId, sessionId }) => endSessions(ctx, operatorId, sessionId),
    visit: (operator, { path, needs }, visit) => {
      // Where a second factor is demanded, nothing else opens before it is set up.
      const isSafe = operator.hasSecondFactor || operator.hasPasskey
      if (ctx.config.environment.secondFactor && !isSafe && path !== accountPath && path !== keysPath) {
        return { to: accountPath }
      }
      const may = (permission: Permission): boolean => permissionsOf[operator.role].has(permission)
      if (needs !== undefined && !may(needs)) throw new Refusal('FORBIDDEN', 'Your role does not include this page.')
      const own = { ...visit, operator, may }
      return { ...own, acting: actingOperator(own) }
    },
    also: (scope, tools) =>
      serveInvitation(scope, {
        ctx,
        area: 'console',
        ...tools,
        read: async (token) => {
          const invited = await readInvitation(ctx, token)
          if (!invited) return undefined
          const { email, role } = invited
          return { email, sentence: `You are invited to the console as ${email}, with the role “${role}”.` }
        },
        accept: acceptInvitation,
        deviceOf: (email) => deviceOf(ctx, email),
      }),
  })
