import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'

import type { Ctx } from '../../exchange/context.ts'
import { type Language, languageOf } from '../../platform/language/language.ts'
import { clientAddress } from '../../platform/lib/client-address.ts'
import { ipBlocks } from '../../platform/lib/ip-blocks.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Accounts } from '../../exchange/partners/accounts.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { eachSecond } from '../../exchange/transactions/each-second.ts'
import { offersAt } from '../../exchange/availability/offers.ts'
import { termsOfPartner } from '../../exchange/transactions/policy.ts'
import { CompanyLines } from '../ui/company.tsx'
import { renderDocument } from '../ui/document.tsx'
import { compressPages } from '../ui/gzip.ts'
import { readForms } from '../ui/read-forms.ts'
import { isOurForm } from '../ui/our-form.ts'
import type { Sheet } from '../ui/serve-file.ts'
import { shownTheme } from '../ui/serve-theme.ts'
import { spellProblem } from '../ui/spell-problem.ts'
import { accessOf, type Denied, queryOf, type Version } from './access.ts'
import { type Assets, serveAssets } from './assets.ts'
import { type Choice, choiceOf, sidesOf, type Typed } from './choice.ts'
import { type CustomerLimits, followOrder, forms, type Visit } from './forms.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { type Boxes, Calculator, type InBox } from './page.tsx'
import { readPresets, refuseParameters } from './presets.ts'

/** What the calculator needs from the service that starts it. */
export type CalculatorOptions = {
  accounts: Accounts
  limits: CustomerLimits
}

const largestForm = 4_096

/**
 * The calculator that partners put on their own pages: `/calculator/v1`, opened by a public key, and `/calculator/v2`, by a
 * signature. A form posts to the page's own URL, because that is what was signed; creating an order redirects to the checkout.
 */
export async function buildCalculator(
  app: FastifyInstance,
  ctx: Ctx,
  { accounts, limits }: CalculatorOptions,
): Promise<void> {
  await app.register((scope, _options, done) => {
    const offersOf = eachSecond(ctx, offersAt)
    const trusted = ipBlocks(ctx.config.http.trustedProxies)
    const addressOf = ({ raw }: FastifyRequest) => clientAddress(raw, trusted).connection
    const door: Door = { ctx, accounts, limits, addressOf, assets: serveAssets(scope), offersOf }
    compressPages(scope)
    readForms(scope, largestForm, { place: 'text' })
    scope.setErrorHandler((error, request, reply) => showFault(door, error, request, reply))
    for (const version of ['v1', 'v2'] as const) {
      scope.get(`/calculator/${version}`, (request, reply) => show(door, version, request, reply))
      scope.post(`/calculator/${version}`, { config: { does: Object.keys(forms) } }, (request, reply) =>
        take(door, version, request, reply),
      )
    }
    // Programs of before there were versions ask here.
    scope.get('/calculator', (request, reply) =>
      deny(door, reply, { denied: 'version', language: languageOfQuery(request) }),
    )
    done()
  })
}

type Door = CalculatorOptions & {
  ctx: Ctx
  addressOf: (request: FastifyRequest) => string
  assets: Assets
  offersOf: ReturnType<typeof eachSecond<ReturnType<typeof offersAt>>>
}

/** Why the calculator is denied, and to which partner, if known. */
type Refused = { denied: Denied | 'version'; partner?: Partner; language: Language }

async function visitOf(
  { ctx, accounts, addressOf }: Door,
  version: Version,
  request: FastifyRequest,
): Promise<Visit | Refused> {
  const query = queryOf(request)
  const access = await accessOf(ctx, accounts, version, query)
  const presets = readPresets(query)
  const language = languageOf(presets.locale, request.headers['accept-language'])
  if ('denied' in access) return { ...access, language }
  refuseParameters(query)
  const isUnsigned = version === 'v1'
  const here = request.raw.url ?? ''
  return { partner: access.partner, presets, isUnsigned, language, here, address: addressOf(request) }
}

async function show(door: Door, version: Version, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(door, version, request)
  return 'denied' in visit ? deny(door, reply, visit) : send(door, reply, visit, {})
}

async function take(door: Door, version: Version, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(door, version, request)
  if ('denied' in visit) return deny(door, reply, visit)
  if (!isOurForm(door.ctx, request)) return sendReason(door, reply.code(403), 'foreign', visit)
  const fields: Typed = request.body instanceof URLSearchParams ? Object.fromEntries(request.body) : {}
  const { ask, ...typed } = fields
  // A question of the page's program, which does nothing.
  if (ask === 'follow')
    return reply
      .headers(headersOf(door, door.assets.sheet, visit.partner))
      .send(await followOrder(door.ctx, visit, typed))
  return send(door, reply, visit, typed)
}

/** Shows the calculator as typed; if the customer continues, and can, creates the transaction and redirects to its checkout. */
async function send(door: Door, reply: FastifyReply, visit: Visit, typed: Typed): Promise<FastifyReply> {
  const { ctx, offersOf } = door
  const { partner, presets, language, here } = visit
  const offers = offersOf(termsOfPartner(partner))
  const found = choiceOf(presets, offers, { typed, language })
  if (!found) return sendEmpty(door, reply, visit)

  const { choice, menu } = found
  const outcome = outcomeOf(ctx, partner, choice, presets.paymentCategory !== undefined)
  const { exchange, sum } = outcome
  const form = typed.do !== undefined && Object.hasOwn(forms, typed.do) ? forms[typed.do] : undefined
  const started = exchange && sum ? await form?.(door, reply, visit, { choice, exchange, sum }, typed) : undefined
  if (started?.redirect !== undefined)
    return reply.headers(headersOf(door, door.assets.sheet, partner)).redirect(started.redirect, 303)
  const amounts = amountsOf(choice, outcome, language)
  const turns = sidesOf(presets, offers)
  const { company } = ctx.config
  const props = { language, presets, choice, menu, turns, outcome, amounts, refusal: started?.refusal, company, here }
  return sendPage(door, reply, visit, <Calculator {...props} />)
}

/** The contents of the two fields, in the reader's format: one amount as typed, the other as calculated. */
function amountsOf({ direction, amount, from, to }: Choice, { sum }: Outcome, language: Language): Boxes {
  const direct = direction === 'direct'
  const typed: InBox = { shown: amount.typed.slice(0, 40), plain: amount.plain ?? '' }
  const plain = sum && (direct ? formatAmount(sum.toAmount, to.asset) : formatAmount(sum.fromAmount, from.asset))
  const other: InBox = { shown: language.typed(plain ?? ''), plain: plain ?? '' }
  return direct ? { from: typed, to: other } : { from: other, to: typed }
}

function sendEmpty(door: Door, reply: FastifyReply, visit: Visit): FastifyReply {
  const { say } = visit.language
  const body = (
    <main class="calculator">
      <h1 class="visually-hidden">{say('calculator.title')}</h1>
      <p>{say('calculator.empty')}</p>
      <CompanyLines company={door.ctx.config.company} />
    </main>
  )
  return sendPage(door, reply, visit, body)
}

function sendPage(door: Door, reply: FastifyReply, visit: Visit, children: ComponentChildren): FastifyReply {
  const { assets } = door
  const { partner, presets, language } = visit
  const { theme } = partner.settings
  const { sheet = assets.sheet } = shownTheme(partner.id, theme, assets.sheet)
  const html = renderDocument({
    title: [language.say('calculator.title'), theme.name ?? partner.name].join(' · '),
    language,
    styles: sheet,
    scripts: [assets.widget],
    icon: assets.icon,
    theme: presets.theme,
    children,
  })
  return reply
    .headers(headersOf(door, sheet, partner))
    .type('text/html; charset=utf-8')
    .send(html)
}

/** Tells the partner's developer what is wrong. The partner's pages may frame it, since that is where it is seen. */
function deny(door: Door, reply: FastifyReply, { denied, partner, language }: Refused): FastifyReply {
  if (denied === 'key') reply.request.securityEvent = 'bad_key'
  if (denied === 'signature') reply.request.securityEvent = 'bad_signature'
  return sendMessage(door, reply.code(denied === 'version' ? 404 : 401), language, {
    title: language.say('calculator.denied.title'),
    text: language.say(`calculator.denied.${denied}`),
    partner,
  })
}

const languageOfQuery = (request: FastifyRequest): Language =>
  languageOf(queryOf(request).get('locale'), request.headers['accept-language'])

/** The page for an invalid form, and for our own errors. */
function showFault(door: Door, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500
  const isTheirs = typeof status === 'number' && status >= 400 && status < 500
  if (!isTheirs) door.ctx.log.error({ err: error, request_id: request.id }, 'Failed to render a calculator page.')
  const language = languageOfQuery(request)
  const [problem] = error instanceof Refusal ? error.problems : []
  const text = problem && spellProblem(problem, language)
  return sendReason(door, reply.code(isTheirs ? status : 500), isTheirs ? 'form' : 'fault', { language, text })
}

/** Titled as at the checkout; the advice differs, since there is no order yet. */
const sendReason = (
  door: Door,
  reply: FastifyReply,
  reason: 'foreign' | 'form' | 'fault',
  { language, partner, text }: { language: Language; partner?: Partner; text?: string | undefined },
) =>
  sendMessage(door, reply, language, {
    title: language.say(`message.${reason}.title`),
    text: text ?? language.say(`calculator.message.${reason}`),
    partner,
  })

function sendMessage(
  door: Door,
  reply: FastifyReply,
  language: Language,
  { title, text, partner }: { title: string; text: string; partner?: Partner | undefined },
): FastifyReply {
  const { assets } = door
  const html = renderDocument({
    title,
    language,
    styles: assets.sheet,
    scripts: [],
    icon: assets.icon,
    children: (
      <main class="calculator">
        <h1>{title}</h1>
        <p>{text}</p>
        <CompanyLines company={door.ctx.config.company} />
      </main>
    ),
  })
  return reply
    .headers(headersOf(door, assets.sheet, partner))
    .type('text/html; charset=utf-8')
    .send(html)
}

/** Nothing is cached or loaded from elsewhere; only the partner's own origins may frame it. */
const headersOf = ({ ctx: { config, publicUrl } }: Door, sheet: Sheet, partner?: Partner): Record<string, string> => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${sheet.source}`,
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self' ${publicUrl}`,
    "base-uri 'none'",
    `frame-ancestors ${["'self'", ...(partner?.settings.frameOrigins ?? []), ...config.environment.frameOrigins].join(' ')}`,
  ].join('; '),
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})
