import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'

import type { Ctx } from '../../exchange/context.ts'
import { clientAddress, shortNetwork } from '../../platform/lib/client-address.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { compressPages } from '../ui/gzip.ts'
import { isOurForm } from '../ui/our-form.ts'
import { readForms } from '../ui/read-forms.ts'
import { type Assets, serveAssets } from './assets.ts'
import { type Area, clearedCookie, cookieIn, csrfToken, isCsrfToken } from './cookie.ts'
import { renderMessage } from './plain.tsx'
import { serveSignIn, type SignInForm } from './sign-in.tsx'

/** A whole page, or a file to download. */
export type PageContent = { body: string | Readable; type?: string; headers?: Record<string, string> }

/** What every request of somebody who is signed in comes with. */
export type AreaVisit = {
  ctx: Ctx
  assets: Assets
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** Without the query. */
  path: string
  /** The token that forms of this page carry. */
  csrf: string
}

export type AreaPage<Visit extends AreaVisit> = {
  path: string
  show(visit: Visit): Promise<PageContent>
  /** Takes the page's form, and says which page follows, shows the page again, or gives a file. */
  act?(visit: Visit & { form: URLSearchParams }): Promise<{ to: string } | PageContent>
}

/** The pages of one group of people, who sign in at `/{area}/sign-in`. */
export type AreaRules<Person extends { sessionId: bigint }, Page, Visit extends AreaVisit> = {
  area: Area
  pages: readonly (Page & AreaPage<Visit>)[]
  signIn: SignInForm
  personOf(token: string): Promise<Person | undefined>
  endSession(person: Person): Promise<void>
  /** What this person's visit to a page is, or the page to go to first. Refuses who may not see it. */
  visit(person: Person, page: Page, visit: AreaVisit): Visit | { to: string }
  /** Further routes, for people who are not signed in. */
  also?(scope: FastifyInstance, tools: { assets: Assets; headers: Record<string, string> }): void
}

const largestForm = 262_144

type Route = { Params: Record<string, string>; Querystring: Record<string, string | string[] | undefined> }

/**
 * Serves an area: without a session every page leads to the sign-in page. Forms are taken from our own pages only, with a token of
 * the session.
 */
export async function serveArea<Person extends { sessionId: bigint }, Page, Visit extends AreaVisit>(
  app: FastifyInstance,
  ctx: Ctx,
  rules: AreaRules<Person, Page, Visit>,
): Promise<void> {
  const { area } = rules
  const trusted = ipBlocks(ctx.config.http.trustedProxies)
  const signInPath = `/${area}/sign-in`

  /** Who uses the browser that sent a request. */
  async function signedIn({ headers }: Pick<FastifyRequest, 'headers'>): Promise<Person | undefined> {
    const token = cookieIn(ctx, headers.cookie, area)
    return token === undefined ? undefined : rules.personOf(token)
  }

  await app.register((scope, _options, done) => {
    const assets = serveAssets(scope)
    const headers = pageHeaders(assets)
    compressPages(scope)
    readForms(scope, largestForm)
    scope.setErrorHandler((error, request, reply) => showFault({ ctx, area, assets, headers }, error, request, reply))
    serveSignIn(scope, {
      ctx,
      area,
      assets,
      headers,
      signIn: rules.signIn,
      networkOf: (raw) => shortNetwork(clientAddress(raw, trusted).connection),
    })
    rules.also?.(scope, { assets, headers })
    scope.post(`/${area}/sign-out`, async (request, reply) => {
      const person = await signedIn(request)
      if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
      if (person) await rules.endSession(person)
      return reply.headers(headers).header('set-cookie', clearedCookie(ctx, area)).redirect(signInPath, 303)
    })

    for (const page of rules.pages) {
      const open = async (request: FastifyRequest<Route>, reply: FastifyReply) => {
        const person = await signedIn(request)
        const back = request.method === 'GET' ? `?to=${encodeURIComponent(request.url)}` : ''
        if (!person) return void reply.headers(headers).redirect(signInPath + back, 303)
        const [path = '', query = ''] = request.url.split('?')
        const csrf = csrfToken(ctx, area, person.sessionId)
        const common = { ctx, assets, params: request.params, query: new URLSearchParams(query), path, csrf }
        const visit = rules.visit(person, page, common)
        if ('to' in visit) return void reply.headers(headers).redirect(visit.to, 303)
        return { visit, person }
      }
      scope.get<Route>(page.path, async (request, reply) => {
        const opened = await open(request, reply)
        if (!opened) return reply
        const shown = await page.show(opened.visit)
        return sendContent(reply, headers, shown)
      })
      if (!page.act) continue
      scope.post<Route>(page.path, async (request, reply) => {
        const opened = await open(request, reply)
        if (!opened) return reply
        const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
        const isOurs =
          isOurForm(ctx, request) && isCsrfToken(ctx, area, opened.person.sessionId, form.get('csrf') ?? '')
        if (!isOurs)
          throw new Refusal('FORBIDDEN', 'This form was not sent from this page, or the page is too old. Reload it.')
        const result = await page.act?.({ ...opened.visit, form })
        if (!result || 'to' in result) return reply.headers(headers).redirect(result?.to ?? page.path, 303)
        return sendContent(reply, headers, result)
      })
    }
    done()
  })
}

function sendContent(
  reply: FastifyReply,
  headers: Record<string, string>,
  { body, type, headers: own }: PageContent,
): FastifyReply {
  void reply.headers({ ...headers, ...own })
  return reply.type(type ?? 'text/html; charset=utf-8').send(body)
}

/** Nothing is cached, framed, or loaded from elsewhere. */
export const pageHeaders = ({ sheet }: Assets): Record<string, string> => ({
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

const statuses: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  CONFLICT: 409,
  BAD_REQUEST: 400,
  INVALID_TOKEN: 401,
  RATE_LIMITED: 429,
}

type Fault = { ctx: Ctx; area: Area; assets: Assets; headers: Record<string, string> }

function showFault(
  { ctx, area, assets, headers }: Fault,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = thrown instanceof ErasedPerson ? new Refusal('CONFLICT', thrown.message) : thrown
  const code = error instanceof Refusal ? error.code : undefined
  const given = (error as { statusCode?: unknown }).statusCode
  const status = code === undefined ? (typeof given === 'number' && given < 500 ? given : 500) : (statuses[code] ?? 400)
  if (status === 500) ctx.log.error({ err: error, request_id: request.id }, `A page of the ${area} failed.`)
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
    .send(renderMessage(assets, area, status, message))
}
