import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { withOrigin } from '../../exchange/audit/origin.ts'
import { clientAddress, shortNetwork } from '../../platform/lib/client-address.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { compressPages } from '../ui/gzip.ts'
import { isOurForm } from '../ui/our-form.ts'
import { readForms } from '../ui/read-forms.ts'
import type { AreaPage, AreaVisit, PageContent } from './area.ts'
import { type Assets, serveAssets } from './assets.ts'
import { answerForm, keyOf, lastForm, messageOf, sendContent, showRefused, statuses } from './answer-form.ts'
import { type Area, cookieIn, csrfToken, isCsrfToken } from './cookie.ts'
import { serveSignOut } from './sign-out.ts'
import { renderMessage } from './plain.tsx'
import { type PasskeySignInForm, renderSignIn, serveSignIn, type SignInForm } from './sign-in.tsx'
import { sealTyped } from './typed.tsx'

/** The pages of one group of people, who sign in at `/{area}/sign-in`. */
export type AreaRules<Person extends { sessionId: bigint }, Page, Visit extends AreaVisit> = {
  area: Area
  pages: readonly (Page & AreaPage<Visit>)[]
  signIn: SignInForm
  passkeySignIn: PasskeySignInForm
  /** `isUse`: somebody did something, so that the session is not idle. */
  personOf(token: string, isUse: boolean): Promise<Person | undefined>
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
  const { area, signIn, passkeySignIn } = rules
  const addressOf = addressReader(ctx)

  /** Who uses the browser that sent a request. */
  async function signedIn({ headers }: Pick<FastifyRequest, 'headers'>): Promise<Person | undefined> {
    const token = cookieIn(ctx, headers.cookie, area)
    return token === undefined ? undefined : rules.personOf(token, !isRenewal(headers))
  }

  await app.register((scope, _options, done) => {
    const assets = serveAssets(scope)
    const headers = pageHeaders(assets)
    const own = { ctx, area, headers }
    compressPages(scope)
    readForms(scope, largestForm)
    scope.addHook('preHandler', ({ raw }, _, next) => withOrigin(addressOf(raw), next))
    scope.setErrorHandler((error, request, reply) => showFault({ ...own, assets }, error, request, reply))
    const networkOf = (raw: FastifyRequest['raw']): string => shortNetwork(addressOf(raw))
    serveSignIn(scope, { ...own, assets, signIn, passkeySignIn, networkOf })
    rules.also?.(scope, { assets, headers })
    serveSignOut(scope, own, async (request) => {
      const person = await signedIn(request)
      if (person) await rules.endSession(person)
    })

    for (const page of rules.pages) {
      const open = (person: Person, request: FastifyRequest<Route>) => {
        const [path = '', query = ''] = request.url.split('?')
        const csrf = csrfToken(ctx, area, person.sessionId)
        const common = { ctx, assets, params: request.params, query: new URLSearchParams(query), path, csrf }
        return rules.visit(person, page, common)
      }
      scope.get<Route>(page.path, async (request, reply) => {
        const person = await signedIn(request)
        const back = `/${area}/sign-in?to=${encodeURIComponent(request.url)}`
        if (!person) return reply.headers(headers).redirect(back, 303)
        const visit = open(person, request)
        if ('to' in visit) return reply.headers(headers).redirect(visit.to, 303)
        if (isRenewal(request.headers) && page.renewed) return sendContent(reply, headers, await page.renewed(visit))
        const { refused, said } = await lastForm(ctx, area, request, reply)
        const content = refused ? await showRefused(page, visit, refused) : await page.show({ ...visit, said })
        return sendContent(reply, headers, content)
      })
      const act = page.act?.bind(page)
      if (!act) continue
      scope.post<Route>(page.path, async (request, reply) => {
        const cameAt = performance.now()
        const form = formIn(request)
        const isOurs = isOurForm(ctx, request)
        const person = await signedIn(request)
        const had = cookieIn(ctx, request.headers.cookie, area)
        if (!person) return askAgain(reply, { ...own, assets }, request.url, isOurs && had ? form : undefined)
        if (!isOurs) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
        const visit = openedFor({ area, assets }, form, () => open(person, request))
        if ('body' in visit) return sendContent(reply.code(403), headers, visit)
        if ('to' in visit) return reply.headers(headers).redirect(visit.to, 303)
        const isFresh = isCsrfToken(ctx, area, person.sessionId, form.get('csrf') ?? '')
        const refusal = isFresh ? undefined : new Refusal('FORBIDDEN', tooOld)
        const key = keyOf(area, person.sessionId, form)
        return answerForm(reply, { ...own, key, cameAt, refusal, page: { ...page, act }, visit: { ...visit, form } })
      })
    }
    done()
  })
}

const tooOld = 'This page is too old: you have signed in since. Look at what you typed, then send it again.'

type Unsigned = { ctx: Ctx; area: Area; assets: Assets; headers: Record<string, string> }

/** Asks who sent a form to sign in, and carries what was typed through that. */
function askAgain(
  reply: FastifyReply,
  { ctx, area, assets, headers }: Unsigned,
  to: string,
  form: URLSearchParams | undefined,
): FastifyReply {
  const kept = form && sealTyped(ctx, area, to.split('?')[0] ?? '', form)
  void reply.headers(headers)
  if (kept === undefined) return reply.redirect(`/${area}/sign-in`, 303)
  const problem = 'You have been signed out. Sign in again: what you typed is kept.'
  return reply
    .code(401)
    .type('text/html; charset=utf-8')
    .send(renderSignIn({ ctx, assets }, { area, to, kept, problem }))
}

/** The visit of a form's page; where somebody may not see it any more, a message with what was typed. */
function openedFor<Visit>(
  { area, assets }: Pick<Unsigned, 'area' | 'assets'>,
  form: URLSearchParams,
  open: () => Visit,
): Visit | { body: PageContent['body'] } {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return messageOf({ area, visit: { assets } }, 403, { form, message: error.message })
  }
}

/** Whether a script of a page asks, and nobody does. */
const isRenewal = (headers: FastifyRequest['headers']): boolean => headers['x-renewal'] !== undefined

const formIn = ({ body }: Pick<FastifyRequest, 'body'>): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams()

/** Reads the address that a request came from, behind the proxies that we trust. */
function addressReader({ config }: Pick<Ctx, 'config'>): (raw: FastifyRequest['raw']) => string {
  const trusted = ipBlocks(config.http.trustedProxies)
  return (raw) => clientAddress(raw, trusted).connection
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
