import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import type { Permission } from '../../exchange/operators/roles.ts'
import { permissionsOf } from '../../exchange/operators/roles.ts'
import { endSessions, operatorOfSession, type SignedIn } from '../../exchange/operators/session.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { compressPages } from '../ui/gzip.ts'
import { isOurForm } from '../ui/our-form.ts'
import { readForms } from '../ui/read-forms.ts'
import { type Assets, serveAssets } from './assets.ts'
import { clearedCookie, cookieIn, isCsrfToken } from './cookie.ts'
import type { Door } from './door.ts'
import { serveInvitation } from './invitation.tsx'
import { renderMessage } from './layout.tsx'
import { pages } from './pages.ts'
import { accountPath, type Page } from './page.ts'
import { serveSignIn } from './sign-in.tsx'

const largestForm = 262_144

/**
 * The operators' pages under `/console`. Every page names the permission it needs; without a session it leads to the sign-in page,
 * without the permission it answers 403. Forms are taken from our own pages only, with a token of the session.
 */
export async function buildConsole(app: FastifyInstance, ctx: Ctx): Promise<void> {
  await app.register((scope, _options, done) => {
    const assets = serveAssets(scope)
    const trusted = ipBlocks(ctx.config.http.trustedProxies)
    const door: Door = { ctx, assets, trusted, headers: headersFor(assets) }
    compressPages(scope)
    readForms(scope, largestForm)
    scope.setErrorHandler((error, request, reply) => showFault(door, error, request, reply))
    serveSignIn(scope, door)
    serveInvitation(scope, door)
    scope.post('/console/sign-out', async (request, reply) => {
      const operator = await signedIn(door, request)
      if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
      if (operator) await endSessions(ctx, operator.operatorId, operator.sessionId)
      return reply.headers(door.headers).header('set-cookie', clearedCookie(ctx)).redirect('/console/sign-in', 303)
    })
    for (const page of pages) servePage(scope, door, page)
    done()
  })
}

/** Nothing is cached, framed, or loaded from elsewhere. */
const headersFor = ({ sheet }: Assets): Record<string, string> => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${sheet.source}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})

type Route = { Params: Record<string, string>; Querystring: Record<string, string | string[] | undefined> }

function servePage(scope: FastifyInstance, door: Door, page: Page): void {
  const { ctx } = door
  const open = async (request: FastifyRequest<Route>, reply: FastifyReply) => {
    const operator = await signedIn(door, request)
    if (!operator) {
      const back = request.method === 'GET' ? `?to=${encodeURIComponent(request.url)}` : ''
      void reply.headers(door.headers).redirect(`/console/sign-in${back}`, 303)
      return undefined
    }
    // Where a second factor is demanded, nothing else opens before it is set up.
    if (ctx.config.environment.secondFactor && !operator.hasSecondFactor && page.path !== accountPath) {
      void reply.headers(door.headers).redirect(accountPath, 303)
      return undefined
    }
    const may = (permission: Permission): boolean => permissionsOf[operator.role].has(permission)
    if (page.needs !== undefined && !may(page.needs))
      throw new Refusal('FORBIDDEN', 'Your role does not include this page.')
    const query = new URLSearchParams(request.url.split('?')[1] ?? '')
    return {
      ctx,
      assets: door.assets,
      operator,
      may,
      params: request.params,
      query,
      path: request.url.split('?')[0] ?? '',
    }
  }
  scope.get<Route>(page.path, async (request, reply) => {
    const visit = await open(request, reply)
    if (!visit) return reply
    const shown = await page.show(visit)
    void reply.headers({ ...door.headers, ...shown.headers })
    return reply.type(shown.type ?? 'text/html; charset=utf-8').send(shown.body)
  })
  const { act } = page
  if (!act) return
  scope.post<Route>(page.path, async (request, reply) => {
    const visit = await open(request, reply)
    if (!visit) return reply
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const isOurs = isOurForm(ctx, request) && isCsrfToken(ctx, visit.operator.sessionId, form.get('csrf') ?? '')
    if (!isOurs)
      throw new Refusal('FORBIDDEN', 'This form was not sent from this page, or the page is too old. Reload it.')
    const done = await act({ ...visit, form })
    if ('to' in done) return reply.headers(door.headers).redirect(done.to, 303)
    return reply.headers(door.headers).type('text/html; charset=utf-8').send(done.body)
  })
}

/** Who uses the browser that sent a request. */
async function signedIn({ ctx }: Door, { headers }: Pick<FastifyRequest, 'headers'>): Promise<SignedIn | undefined> {
  const token = cookieIn(ctx, headers.cookie)
  return token === undefined ? undefined : operatorOfSession(ctx, token)
}

const statuses: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  CONFLICT: 409,
  BAD_REQUEST: 400,
  INVALID_TOKEN: 401,
  RATE_LIMITED: 429,
}

function showFault(door: Door, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { ctx, assets, headers } = door
  const code = error instanceof Refusal ? error.code : undefined
  const given = (error as { statusCode?: unknown }).statusCode
  const status = code === undefined ? (typeof given === 'number' && given < 500 ? given : 500) : (statuses[code] ?? 400)
  if (status === 500) ctx.log.error({ err: error, request_id: request.id }, 'A page of the console failed.')
  const message =
    error instanceof Refusal
      ? error.message
      : status === 500
        ? `Something went wrong here. It is in the log under ${request.id}.`
        : 'This request could not be read.'
  return reply
    .code(status)
    .headers(headers)
    .type('text/html; charset=utf-8')
    .send(renderMessage(assets, status, message))
}
