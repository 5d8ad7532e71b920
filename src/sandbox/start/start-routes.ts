import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { icon, serveFile, sheetOf, styleSheet } from '../../doors/ui/serve-file.ts'
import { isOurForm } from '../../doors/ui/our-form.ts'
import { readForms } from '../../doors/ui/read-forms.ts'
import type { Ctx } from '../../exchange/context.ts'
import { readPartnerSecrets } from '../../exchange/partners/secrets.ts'
import { signIn } from '../../exchange/operators/sign-in.ts'
import { doOnce, keyOfForm, newOnce } from '../../exchange/sign-in/once.ts'
import { signInAtPortal } from '../../exchange/partners/portal-sessions.ts'
import { type Area, signedInCookies } from '../../doors/pages/cookie.ts'
import { onceIn } from '../../doors/pages/form.tsx'
import { signInOnce } from '../../doors/pages/sign-in.tsx'
import { signWidgetQuery } from '../../exchange/partners/widget-signature.ts'
import { isThisMachine } from '../../platform/lib/this-machine.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { scenarios } from '../api/scenarios.ts'
import type { Seeds } from '../sandbox-file.ts'
import { recentEvents } from './queries.ts'
import { type RecentCall, rememberCalls } from './recent-calls.ts'
import { renderStart, type StartNotice } from './start-page.tsx'
import { startStyle } from './start-style.ts'

/** What a form of the page holds at most. */
const largestForm = 1_024

const shownEvents = 20

/** Where the documentation gets the demo partner's keys. */
export const testKeysPath = '/sandbox/keys'

/**
 * `/` in the sandbox. Its buttons make the same API calls as the demo partner's programs, with its secret key, so that the page
 * can list them. `seeds` is undefined until the sandbox is prepared.
 */
export const startRoutes =
  (ctx: Ctx, seeds: () => Seeds | undefined) =>
  (app: FastifyInstance): void => {
    const prepared = (): Seeds => {
      const found = seeds()
      if (!found) throw new Error('The start page was opened before the sandbox was prepared.')
      return found
    }
    const calls = rememberCalls(
      app,
      () => BigInt(prepared().partner_id),
      () => ctx.clock.realNow(),
    )
    const show = pageShower(ctx, app, { prepared, calls })

    const does = formsWith(ctx, { prepared, show, call: caller(ctx, app, prepared) })

    app.get(testKeysPath, (request, reply) => {
      if (!showsSecrets(ctx, request))
        throw new Refusal('FORBIDDEN', 'Keys are shown on the machine of the sandbox only.')
      const { public_key, secret_key } = prepared()
      return reply.header('cache-control', 'no-store').send({ public_key, secret_key })
    })
    app.register(async (scope) => {
      readForms(scope, largestForm)
      scope.get('/', (request, reply) => show(request, reply))
      scope.post('/', { config: { does: Object.keys(does) } }, async (request, reply) => {
        if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form came from another site.')
        const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
        const name = form.get('do') ?? ''
        const done = Object.hasOwn(does, name) ? await does[name]?.(form, request, reply) : undefined
        return done ?? show(request, reply, { status: 400, notice: { problem: 'Unknown action.' } })
      })
    })
  }

/** Does what a form of the page says; undefined if that is nothing that is known. */
type Form = (form: URLSearchParams, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | undefined>

type Call = (
  url: string,
  payload: object,
  form: URLSearchParams,
) => Promise<Record<string, string> | { problem: string }>

type Tools = { prepared: () => Seeds; show: ReturnType<typeof pageShower>; call: Call }

/**
 * Calls the API as the demo partner, once for a form: the same form again waits for the first call, and gets its answer. Gives the body
 * of a 201, or the sentence of the refusal.
 */
function caller(ctx: Ctx, app: FastifyInstance, prepared: () => Seeds): Call {
  return async (url, payload, form) => {
    const once = onceIn(form)
    const key = once === undefined ? {} : { 'idempotency-key': once }
    const headers = { 'x-api-key': prepared().secret_key, ...key }
    const ask = () => app.inject({ method: 'POST', url, headers, payload })
    const name = keyOfForm({ area: 'start', session: url, once: once ?? newOnce() })
    const answer = (await doOnce(ctx, name, ask)) ?? (await ask())
    const body: unknown = answer.json()
    if (answer.statusCode === 201) return body as Record<string, string>
    const { message } = body as { message?: unknown }
    return { problem: typeof message === 'string' ? message : `The API answered ${answer.statusCode}.` }
  }
}

/** What each form of the page does, by the value of its `do` field. */
function formsWith(ctx: Ctx, { prepared, show, call }: Tools): Readonly<Record<string, Form>> {
  const openArea =
    (area: Area): Form =>
    async (form, request, reply) => {
      if (!showsSecrets(ctx, request)) throw new Refusal('FORBIDDEN', 'Sign in with the password in sandbox.json.')
      const own = prepared()[accounts[area]]
      const signedIn = await signInOnce({ ctx, area }, form, (use) => signInTo(use, area, own))
      if (signedIn !== 'used') void reply.header('set-cookie', signedInCookies(ctx, area, signedIn))
      return reply.header('cache-control', 'no-store').redirect(`/${area}`, 303)
    }
  return {
    buy: async (form, request, reply) => {
      const order = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
      const made = await call('/v1/transaction', order, form)
      if (!('redirect_url' in made)) return show(request, reply, { status: 409, notice: problemIn(made) })
      // The page may have been opened by another name of this machine: the order stays at it.
      const { pathname, search } = new URL(made.redirect_url ?? '')
      return reply.header('cache-control', 'no-store').redirect(pathname + search, 303)
    },
    console: openArea('console'),
    portal: openArea('portal'),
    play: async (form, request, reply) => {
      const scenario = scenarios.find(({ name }) => name === form.get('name'))
      if (!scenario) return undefined
      const played = await call(`/v1/sandbox/scenarios/${scenario.name}`, {}, form)
      const { transaction_id: transactionId } = played as { transaction_id?: string }
      if (transactionId === undefined) return show(request, reply, { status: 409, notice: problemIn(played) })
      return show(request, reply, { notice: { played: scenario.title, transactionId } })
    },
  }
}

/** Where sandbox.json has the account of each area. */
const accounts = { console: 'operator', portal: 'portal' } as const

type Account = { email: string; password: string }

/** Signs in as the sandbox's own operator, or somebody of its partner. */
async function signInTo(
  ctx: Ctx,
  area: Area,
  { email, password }: Account,
): Promise<{ token: string; device: string }> {
  const typed = { email, password, device: undefined, network: 'this machine' }
  if (area === 'portal') return signInAtPortal(ctx, typed)
  const result = await signIn(ctx, { ...typed, code: undefined, pending: undefined, agent: 'the start page' })
  if ('pending' in result) throw new Refusal('CONFLICT', 'This operator has a second factor. Sign in at the console.')
  return result
}

/** Gives what sends the page, with a notice if there is one. */
function pageShower(
  ctx: Ctx,
  app: FastifyInstance,
  { prepared, calls }: { prepared: () => Seeds; calls: readonly RecentCall[] },
) {
  const sheet = sheetOf(styleSheet(startStyle))
  const iconPath = serveFile(app, icon())
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src ${sheet.source}; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  }

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    { status = 200, notice }: { status?: number; notice?: StartNotice } = {},
  ) => {
    const { partner_id: partnerId, ...all } = prepared()
    const id = BigInt(partnerId)
    const [events, { widgetSecret }] = await Promise.all([
      recentEvents(ctx.db, id, shownEvents),
      readPartnerSecrets(ctx, id),
    ])
    const signature = signWidgetQuery(widgetSecret, id, '')
    const html = renderStart({
      sheet,
      icon: iconPath,
      notice,
      calls,
      events,
      scenarios,
      apiUrl: `${ctx.publicUrl}/v1`,
      calculator: `/calculator/v2?partner_id=${partnerId}&signature=${signature}`,
      secrets: showsSecrets(ctx, request) ? all : undefined,
    })
    return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(html)
  }
}

const problemIn = (answer: Record<string, string> | { problem: string }): StartNotice => ({
  problem: answer.problem ?? 'The API gave an unexpected answer.',
})

/**
 * Secrets are shown on this machine only: the sandbox listens on this machine alone, and its own address and the requested one are
 * loopback names. So neither a public sandbox, nor another machine, nor a foreign name that resolves to this machine gets them.
 */
const showsSecrets = ({ publicUrl, config }: Ctx, { headers }: FastifyRequest): boolean =>
  isThisMachine(config.http.host) &&
  isThisMachine(new URL(publicUrl).hostname) &&
  headers.host !== undefined &&
  isThisMachine(headers.host.replace(/:\d+$/, ''))
