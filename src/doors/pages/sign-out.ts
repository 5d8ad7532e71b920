import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isOurForm } from '../ui/our-form.ts'
import { type Area, clearedCookie } from './cookie.ts'

/** `POST /{area}/sign-out`: leads to the sign-in page, with or without a session, and whatever token its form has: a session ends once. */
export function serveSignOut(
  scope: FastifyInstance,
  { ctx, area, headers }: { ctx: Ctx; area: Area; headers: Record<string, string> },
  end: (request: FastifyRequest) => Promise<void>,
): void {
  scope.post(`/${area}/sign-out`, async (request, reply) => {
    if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
    await end(request)
    return reply.headers(headers).header('set-cookie', clearedCookie(ctx, area)).redirect(`/${area}/sign-in`, 303)
  })
}
