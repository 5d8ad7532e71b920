import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { clientAddress, networkOf } from '../../platform/lib/client-address.ts'
import { readId } from '../../platform/lib/ids.ts'
import { type IpBlocks, ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { Refusal, refusals } from '../../platform/lib/refusal.ts'
import { findPartners } from '../../exchange/partners/known.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import type { Sheet } from '../ui/serve-file.ts'
import { servePartnerLogos } from '../ui/serve-theme.ts'
import { act, checkoutDoes, refuseTexts } from './act.ts'
import { type Assets, serveAssets } from './assets.ts'
import { fieldFault } from './field-fault.ts'
import { checkField } from './check-field.ts'
import type { ActionResult, Fields } from './checkout-step.ts'
import { isLocale, type Language, languageOf } from '../../platform/language/language.ts'
import { legalFor } from './legal.ts'
import { serveLegalPages } from './legal-page.tsx'
import { liveRoute } from './live.ts'
import { renderOrder } from './order-page.tsx'
import { compressPages } from '../ui/gzip.ts'
import { readForms } from '../ui/read-forms.ts'
import { isOurForm } from '../ui/our-form.ts'
import { noteRefusal } from '../ui/security-event.ts'
import { messagePage, type Reason } from './message-page.tsx'
import type { PageProps } from './page.ts'
import { readRequest } from './payment-request.ts'
import type { CheckoutOptions } from './notices.ts'
import { type Headers, headersFor, scansCodes } from './page-headers.ts'
import { pageData, resembledBy } from './page-data.ts'
import { cookiesOf, deviceIn, zoneIn } from './session-cookie.ts'
import { renderLayout } from './layout.tsx'
import { serveReceipts } from './receipt-page.tsx'
import { sendRefusal, wantsJson } from './refusal-body.ts'
import { followLink, marksOf, taskOfForm } from './verify-email.ts'
import { readVisit } from './read-visit.ts'
import { checkoutSteps, problemsOf } from './steps.ts'
import type { Visit } from './visit.ts'

const largestForm = 16_384

/** A language tag; `/v1/checkout` is left to the API. */
const localePath = '/:locale(^[a-zA-Z][a-zA-Z_-]{1,11}$)/checkout'

/**
 * The customer's pages: `/checkout?tid=` and `/{locale}/checkout?tid=`, one page per step, complete without JavaScript; and
 * `/checkout/status?tid=` and `/checkout/events?tid=`, which tell a waiting page when to reload.
 */
export async function buildCheckout(app: FastifyInstance, ctx: Ctx, options: CheckoutOptions): Promise<void> {
  await app.register((scope, _fastifyOptions, done) => {
    const assets = serveAssets(scope)
    const headersWith = (sheet: Sheet) => headersFor(options, sheet)
    const trusted = ipBlocks(ctx.config.http.trustedProxies)
    const door: Door = { ctx, options, trusted, assets, headersWith, headers: headersWith(assets.sheet) }
    servePartnerLogos(scope, async (text) => {
      const id = readId(text)
      return id === undefined ? undefined : (await findPartners(ctx, [id])).get(id)?.settings.theme
    })
    compressPages(scope)
    readForms(scope, largestForm, { isShown: true })
    scope.setErrorHandler((error, request, reply) => showFault(door, error, request, reply))

    for (const path of ['/checkout', localePath]) {
      scope.get<Route>(path, (request, reply) => showOrder(door, request, reply))
      scope.post<Route>(path, { config: { does: checkoutDoes } }, (request, reply) => takeForm(door, request, reply))
    }
    scope.post<Route>('/checkout/check', (request, reply) => tellOfField(door, request, reply))
    liveRoute(scope, ctx, door.headers)
    serveLegalPages(scope, ctx, door)
    serveReceipts(scope, ctx, door)
    scope.get<Route>('/checkout/status', (request, reply) => tellStatus(door, request, reply))
    done()
  })
}

/** `headers` allow our own style sheet; `headersWith` allows another one. */
type Door = {
  ctx: Ctx
  options: CheckoutOptions
  trusted: IpBlocks
  assets: Assets
  headers: Headers
  headersWith(sheet: Sheet): Headers
}

type Route = { Params: { locale?: string }; Querystring: Record<string, unknown> }

async function showOrder(door: Door, request: FastifyRequest<Route>, reply: FastifyReply): Promise<FastifyReply> {
  if (!isLocale(request.params.locale ?? 'en')) return sendMessage(door, request, reply, 404, 'missing')
  const visit = await visitOf(door, request)
  if (!visit) return sendMessage(door, request, reply, 404, 'missing')
  const link = textOf(request.query.link)
  if (link !== '' && !visit.isRefused) return openLink(door, request, reply, visit, link)
  return visit.isRefused ? sendMessage(door, request, reply, 403, 'country') : sendOrder(door, request, reply, visit)
}

/**
 * The link in the e-mail with the code. A browser that has not asked for the code, a mail scanner's for one, sees the order's page and
 * changes nothing.
 */
async function openLink(
  door: Door,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
  visit: Visit,
  link: string,
): Promise<FastifyReply> {
  const { ctx, headers } = door
  const form = { visit, fields: {}, ...readerOf(door, request, visit) }
  const isOurs = visit.customerId === undefined && (visit.isTypedHere || visit.hasAsked)
  const proven = isOurs ? await followLink(form, link) : undefined
  void reply.headers(cookiesOf(ctx, visit.view.publicId, proven ?? {}))
  return reply.headers(headers).redirect(addressesOf(request, visit).home, 303)
}

/** Who sends a form, as far as a form's work needs it. */
const readerOf = ({ ctx, trusted }: Door, request: FastifyRequest<Route>, visit: Visit) => ({
  ctx,
  locale: languageFor(request, visit).tag,
  zone: zoneIn(request.headers.cookie),
  network: networkOf(clientAddress(request.raw, trusted).connection),
  device: deviceIn(request.headers.cookie),
})

async function takeForm(door: Door, request: FastifyRequest<Route>, reply: FastifyReply): Promise<FastifyReply> {
  const { ctx } = door
  const cameAt = performance.now()
  if (!isLocale(request.params.locale ?? 'en')) return sendMessage(door, request, reply, 404, 'missing')
  if (!isOurForm(ctx, request)) return sendMessage(door, request, reply, 403, 'foreign')
  const visit = await visitOf(door, request)
  if (!visit) return sendMessage(door, request, reply, 404, 'missing')
  if (visit.isRefused) return sendMessage(door, request, reply, 403, 'country')

  let fields: Fields = request.body instanceof URLSearchParams ? Object.fromEntries(request.body) : {}
  let result: ActionResult
  try {
    refuseTexts(visit, fields)
    fields = readRequest(visit, fields)
    result = await act({ visit, fields, ...readerOf(door, request, visit) }, cameAt)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    noteRefusal(request, error)
    if (error.problems[0]?.code === 'TOO_MANY_CODES')
      void reply.headers(cookiesOf(ctx, visit.view.publicId, marksOf(ctx, visit, fields)))
    if (wantsJson(request)) return sendRefusal(request, reply.headers(door.headers), error)
    if (error.code !== 'CONFLICT' || error.problems.length > 0) return showRefusal(door, request, reply, error, fields)
    // The transaction has changed in the meantime: its page shows the current step.
    result = {}
  }
  return redirect(door, request, reply, visit, result)
}

/** Redirects after a form, so that a reload sends nothing twice. */
function redirect(door: Door, request: FastifyRequest<Route>, reply: FastifyReply, visit: Visit, result: ActionResult) {
  const { redirect: target, stays = false, token } = result
  const keepsQuery = stays || (visit.wish === 'proof' && token === undefined)
  const { here, home } = addressesOf(request, visit)
  const cookies = cookiesOf(door.ctx, visit.view.publicId, result)
  return reply.headers({ ...door.headers, ...cookies }).redirect(target ?? (keepsQuery ? here : home), 303)
}

/** The current page, with what is wrong and what was typed. A code, a card number or a secret key is never shown again. */
async function showRefusal(
  door: Door,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
  refusal: Refusal,
  { code: _code, ...sent }: Fields,
): Promise<FastifyReply> {
  const visit = await visitOf(door, request)
  if (!visit) return sendMessage(door, request, reply, 404, 'missing')
  if (refusal.problems[0]?.code === 'TASK_NEEDED')
    visit.task = await taskOfForm({ visit, fields: sent, ...readerOf(door, request, visit) })
  const { category } = visit.view.payout
  const typed = Object.fromEntries(
    Object.entries(sent).filter(
      ([name, text]) => !['SECRET_KEY', 'CARD_NUMBER'].includes(fieldFault(category, name, text)?.code ?? ''),
    ),
  )
  if (refusal.retryAfterSeconds !== undefined) void reply.header('retry-after', refusal.retryAfterSeconds)
  void reply.code(refusals[refusal.code])
  const problems = problemsOf(refusal, visit.step, languageFor(request, visit))
  const resembled = await resembledBy(door.ctx, visit, refusal, typed)
  return sendOrder(door, request, reply, visit, { problems, typed, resembled })
}

async function tellStatus(door: Door, request: FastifyRequest<Route>, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(door, request)
  void reply.headers(door.headers)
  if (visit)
    return reply.send({
      status: visit.view.status,
      step: visit.step,
      version: visit.version,
      now: door.ctx.clock.now().getTime(),
    })
  return sendRefusal(request, reply, new Refusal('NOT_FOUND', 'There is no such order.'))
}

/** `/checkout/check?tid=`: what is wrong with one field of a form that is being filled in, in the page's language. */
async function tellOfField(door: Door, request: FastifyRequest<Route>, reply: FastifyReply): Promise<FastifyReply> {
  void reply.headers(door.headers)
  const visit = isOurForm(door.ctx, request) ? await visitOf(door, request) : undefined
  if (!visit || visit.isRefused || !(request.body instanceof URLSearchParams)) return reply.code(404).send()
  const fields: Fields = Object.fromEntries(request.body)
  const field = fields.field ?? ''
  let refusal: Refusal | undefined
  try {
    refusal = await checkField({ ctx: door.ctx, visit, fields }, field)
  } catch (error) {
    if (error instanceof Refusal) return sendRefusal(request, reply, error)
    throw error
  }
  const language = languageOf(textOf(request.query.locale), visit.view.locale, request.headers['accept-language'])
  const problem = refusal && problemsOf(refusal, visit.step, language).find((one) => one.field === field)
  return reply.send({ field, text: problem?.text ?? '' })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const visitOf = ({ ctx, trusted }: Door, { query, headers, raw }: FastifyRequest<Route>): Promise<Visit | undefined> =>
  readVisit(ctx, {
    tid: textOf(query.tid),
    ask: textOf(query.ask),
    returned: textOf(query.returned),
    cookie: headers.cookie,
    address: clientAddress(raw, trusted).connection,
    network: networkOf(clientAddress(raw, trusted).connection),
  })

const languageFor = ({ params, headers }: FastifyRequest<Route>, visit?: Visit): Language =>
  languageOf(params.locale, visit?.view.locale, headers['accept-language']).inZone(zoneIn(headers.cookie))

/** The order's page in the language of its path; `here` includes what the customer asked to see. */
function addressesOf(
  { params }: FastifyRequest<Route>,
  { view, wish, isBack }: Visit,
): Pick<PageProps, 'here' | 'home'> {
  const home = `${params.locale === undefined ? '' : `/${params.locale}`}/checkout?tid=${view.tid}`
  const asked = wish === undefined ? '' : `&ask=${wish}`
  return { home, here: `${home}${asked}${isBack ? '&returned=1' : ''}` }
}

/** What was refused, and what was typed. */
type Rejected = Pick<PageProps, 'problems' | 'typed' | 'resembled'>

async function sendOrder(
  { ctx, options, assets, headersWith }: Door,
  request: FastifyRequest<Route>,
  reply: FastifyReply,
  visit: Visit,
  rejected: Rejected = { problems: [], typed: {} },
): Promise<FastifyReply> {
  const { step } = visit
  const language = languageFor(request, visit)
  const data = await pageData(ctx, { options, ours: assets.sheet }, visit, language)
  const props = { visit, language, ...addressesOf(request, visit), now: ctx.clock.now(), ...rejected, ...data }
  const camera = checkoutSteps[step].addressField?.(visit) ? scansCodes : {}
  return reply
    .headers({ ...headersWith(data.look.sheet ?? assets.sheet), ...camera })
    .type('text/html; charset=utf-8')
    .send(renderOrder(props, assets))
}

function sendMessage(
  { ctx, options: { notices }, assets, headers }: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  reason: Reason,
): FastifyReply {
  const language = languageOf(request.headers['accept-language'])
  const { title, body } = messagePage(reason, language)
  const html = renderLayout({ title, language, assets, notices, legal: legalFor(ctx, language), children: [body] })
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(html)
}

function showFault(door: Door, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ErasedPerson) return sendMessage(door, request, reply, 404, 'missing')
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return sendMessage(door, request, reply, status, 'form')
  }
  door.ctx.log.error({ err: error, request_id: request.id }, 'A page of the checkout failed.')
  return sendMessage(door, request, reply, 500, 'fault')
}
