import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ComponentChildren } from 'preact'

import type { Ctx } from '../context.ts'
import { type Language, languageOf } from '../language/language.ts'
import { Refusal, refusals } from '../lib/refusal.ts'
import { formatAmount } from '../money/amount.ts'
import type { Accounts } from '../partners/accounts.ts'
import type { Partner } from '../partners/partner.ts'
import { eachSecond } from '../transactions/each-second.ts'
import { offersAt } from '../availability/offers.ts'
import { termsOfPartner } from '../transactions/policy.ts'
import { renderDocument } from '../ui/document.tsx'
import { isOurForm } from '../ui/our-form.ts'
import { themePaths } from '../ui/serve-theme.ts'
import { accessOf, type Denied, type Version } from './access.ts'
import { type AssetPaths, serveAssets } from './assets.ts'
import { choiceOf, type Typed } from './choice.ts'
import { goOn } from './go-on.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import { Calculator } from './page.tsx'
import { type Presets, readPresets } from './presets.ts'

/** What the calculator is told by the program that starts it. */
export type CalculatorOptions = { accounts: Accounts }

const largestForm = 4_096

/**
 * The calculator that partners put on their own pages: `/calculator/v1`, opened by a public key, and `/calculator/v2`, by a
 * signature. A form posts to the page's own address, because that is what was signed; the create leads on to the checkout.
 */
export async function buildCalculator(app: FastifyInstance, ctx: Ctx, { accounts }: CalculatorOptions): Promise<void> {
  await app.register((scope, _options, done) => {
    const offersOf = eachSecond(ctx, offersAt)
    const door: Door = { ctx, accounts, assets: serveAssets(scope), offersOf }
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: largestForm },
      (_request, text, parsed) => parsed(null, new URLSearchParams(String(text))),
    )
    for (const version of ['v1', 'v2'] as const) {
      scope.get(`/calculator/${version}`, (request, reply) => show(door, version, request, reply))
      scope.post(`/calculator/${version}`, (request, reply) => take(door, version, request, reply))
    }
    done()
  })
}

type Door = {
  ctx: Ctx
  accounts: Accounts
  assets: AssetPaths
  offersOf: ReturnType<typeof eachSecond<ReturnType<typeof offersAt>>>
}

/** The address as it was sent: repeated names must be seen, and what was signed is the text. */
const queryOf = ({ raw }: FastifyRequest): URLSearchParams => new URLSearchParams((raw.url ?? '').split('?')[1] ?? '')

/** A calculator that was let in. */
type Visit = { partner: Partner; presets: Presets; language: Language; here: string }

async function visitOf(
  { ctx, accounts }: Door,
  version: Version,
  request: FastifyRequest,
): Promise<Visit | { denied: Denied; language: Language }> {
  const query = queryOf(request)
  const access = await accessOf(ctx, accounts, version, query)
  const presets = readPresets(query)
  const language = languageOf(presets.locale, request.headers['accept-language'])
  if ('denied' in access) return { denied: access.denied, language }
  return { partner: access.partner, presets, language, here: request.raw.url ?? '' }
}

async function show(door: Door, version: Version, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(door, version, request)
  return 'denied' in visit ? deny(door, reply, visit) : send(door, reply, visit, {})
}

async function take(door: Door, version: Version, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visit = await visitOf(door, version, request)
  if ('denied' in visit) return deny(door, reply, visit)
  if (!isOurForm(door.ctx, request)) return deny(door, reply, { ...visit, denied: 'signature' })
  const typed: Typed = request.body instanceof URLSearchParams ? Object.fromEntries(request.body) : {}
  return send(door, reply, visit, typed)
}

/** Shows the calculator as typed; where it was to go on, and can, leads to the checkout of the transaction that was made. */
async function send(door: Door, reply: FastifyReply, visit: Visit, typed: Typed): Promise<FastifyReply> {
  const { ctx, offersOf } = door
  const { partner, presets, language, here } = visit
  const found = choiceOf(presets, offersOf(termsOfPartner(partner)), typed)
  if (!found) return sendEmpty(door, reply, visit)

  const { choice, menu } = found
  const outcome = outcomeOf(ctx, partner, choice, presets.paymentCategory !== undefined)
  let refusal: string | undefined
  let leadsTo: string | undefined
  if (typed.do === 'continue' && outcome.sum) {
    try {
      const made = await goOn(ctx, partner, { presets, choice, outcome, locale: presets.locale ?? language.tag })
      leadsTo = made.redirect_url
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      void reply.code(refusals[error.code])
      refusal = error.message
    }
  }
  if (leadsTo !== undefined) return reply.headers(headersOf(ctx, partner)).redirect(leadsTo, 303)
  const amounts = amountsOf(choice, outcome)
  const props = { language, presets, choice, menu, outcome, amounts, refusal, here }
  return sendPage(door, reply, visit, <Calculator {...props} />)
}

/** What stands in the two boxes: the reader's amount as typed, the other one as worked out. */
function amountsOf(
  { direction, amount, from, to }: { direction: string; amount: string; from: Asset; to: Asset },
  { sum }: Outcome,
): { from: string; to: string } {
  const other =
    sum === undefined
      ? ''
      : direction === 'direct'
        ? formatAmount(sum.toAmount, to.asset)
        : formatAmount(sum.fromAmount, from.asset)
  const typed = amount.slice(0, 40)
  return direction === 'direct' ? { from: typed, to: other } : { from: other, to: typed }
}

type Asset = { asset: { decimals: number } }

function sendEmpty(door: Door, reply: FastifyReply, visit: Visit): FastifyReply {
  const { say } = visit.language
  const body = (
    <main class="calculator">
      <h1 class="visually-hidden">{say('calculator.title')}</h1>
      <p>{say('calculator.empty')}</p>
    </main>
  )
  return sendPage(door, reply, visit, body)
}

function sendPage({ ctx, assets }: Door, reply: FastifyReply, visit: Visit, children: ComponentChildren): FastifyReply {
  const { partner, presets, language } = visit
  const { theme } = partner.settings
  const { style } = themePaths(partner.id, theme)
  const html = renderDocument({
    title: [language.say('calculator.title'), theme.name ?? partner.name].join(' · '),
    language,
    styles: [assets.style, ...(style === undefined ? [] : [style])],
    scripts: [assets.widget],
    icon: assets.icon,
    theme: presets.theme,
    children,
  })
  return reply.headers(headersOf(ctx, partner)).type('text/html; charset=utf-8').send(html)
}

/** A clear page for whoever set the calculator up wrongly. It may be framed: that is where it is looked at. */
function deny(
  { ctx, assets }: Door,
  reply: FastifyReply,
  { denied, language }: { denied: Denied; language: Language },
): FastifyReply {
  const { say } = language
  const html = renderDocument({
    title: say('calculator.denied.title'),
    language,
    styles: [assets.style],
    scripts: [],
    icon: assets.icon,
    children: (
      <main class="calculator">
        <h1>{say('calculator.denied.title')}</h1>
        <p>{say(`calculator.denied.${denied}`)}</p>
      </main>
    ),
  })
  return reply.code(401).headers(headersOf(ctx, undefined)).type('text/html; charset=utf-8').send(html)
}

/** Nothing is kept or loaded from elsewhere; framed only where the partner's account says. */
const headersOf = ({ config, publicUrl }: Ctx, partner: Partner | undefined): Record<string, string> => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action 'self' ${publicUrl}`,
    "base-uri 'none'",
    `frame-ancestors ${ancestors(partner, config.mode === 'sandbox')}`,
  ].join('; '),
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})

/** In the sandbox a partner's page may be on the developer's own machine. */
function ancestors(partner: Partner | undefined, isSandbox: boolean): string {
  const local = isSandbox ? ['http://localhost:*', 'http://127.0.0.1:*'] : []
  return ["'self'", ...(partner?.settings.frameOrigins ?? []), ...local].join(' ')
}
