import type { FastifyInstance } from 'fastify'

import { buildCalculator } from '../../src/doors/calculator/calculator.tsx'
import { readConfig } from '../../src/app/config/config.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import { languages } from '../../src/platform/language/language.ts'
import type { Accounts, Caller } from '../../src/exchange/partners/accounts.ts'
import { defaultSettings, type PartnerSettings } from '../../src/exchange/partners/settings.ts'
import { recordedMarket } from '../../src/markets/recorded/recorded-market.ts'
import { someTime } from '../support/arbitrary-terms.ts'
import { nothingHalted } from '../../src/rails/halts.ts'
import { everyRail } from '../support/every-rail.ts'
import { policies } from '../support/policies.ts'

/** What is asked of the calculator, and, after a form was sent, what was in it. */
type Shown = { query: string; form?: Record<string, string> }

const direct = { do: 'update', edited: 'direct' }

const shown: Record<string, Shown> = {
  buy: { query: 'default_fiat_amount=250' },
  sell: { query: 'default_side=sell_crypto&default_crypto_currency=ETH' },
  wide: { query: 'type=wide&default_fiat_amount=250&default_crypto_currency=USDT&default_crypto_network=TRX' },
  'one-way': { query: 'payment_category=SEPA&side_toggle_disabled=true&default_fiat_amount=1500' },
  'long-names': {
    query: 'default_fiat_currency=ZAR&default_crypto_currency=USDT&default_crypto_network=AVAX',
  },
  'many-decimals': { query: 'default_fiat_currency=AED&default_crypto_currency=ETH' },
  'too-much': { query: '', form: { ...direct, from_amount: '1000000' } },
  'too-little-coins': { query: '', form: { do: 'update', edited: 'reverse', to_amount: '0.00000001' } },
  unreadable: { query: 'type=wide', form: { ...direct, from_amount: 'ten' } },
  empty: { query: 'partner_api_token=pk_test_shut' },
  denied: { query: 'theme=light&theme=dark' },
  'denied-key': { query: 'partner_api_token=pk_test_unknown' },
}

/** The calculator in each state, from `/{language}` on. */
export const calculatorPaths: readonly string[] = Object.keys(shown).map((name) => `/calculator/${name}`)

/** Serves the calculator in each state and language, on the recorded market's prices at one moment. */
export function serveCalculators(app: FastifyInstance): void {
  const accounts: Accounts = {
    find: (key) => callers.get(key),
    forget: () => undefined,
    close: () => Promise.resolve(),
  }
  app.register((scope) => buildCalculator(scope, stillCtx, { accounts, limits: { takeCustomer: () => undefined } }))
  for (const tag of languages)
    for (const [name, { query, form }] of Object.entries(shown))
      app.get(`/${tag}/calculator/${name}`, async (_request, reply) => {
        const key = query.includes('partner_api_token') ? '' : '&partner_api_token=pk_test_gallery'
        const url = `/calculator/v1?locale=${tag}&${query}${key}`
        const headers = { 'accept-language': tag, 'content-type': 'application/x-www-form-urlencoded' }
        const answer = await app.inject(
          form ? { method: 'POST', url, headers, payload: new URLSearchParams(form).toString() } : { url, headers },
        )
        return reply.type('text/html').send(answer.body)
      })
}

/** As much of an exchange as a calculator that is only looked at asks for. */
const stillCtx = {
  config: readConfig({}),
  clock: {
    now: () => someTime,
    realNow: () => someTime,
    offsetMs: () => 0,
    learnOffset: () => undefined,
    follow: () => 0,
  },
  market: recordedMarket(1),
  rails: everyRail,
  policies,
  halts: { now: () => nothingHalted },
  publicUrl: 'http://127.0.0.1',
} as unknown as Ctx

const callerWith = (settings: PartnerSettings): Caller => ({
  partner: { id: 7n, name: 'Tulip Wallet', settings, createdAt: someTime, disabledAt: null, volumeCents: 0n },
  key: {
    id: 1n,
    partnerId: 7n,
    kind: 'public',
    mode: 'test',
    hint: 'lery',
    label: '',
    allowIps: [],
    createdAt: someTime,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
  },
  allowedFrom: undefined,
})

/** Who opens a calculator: an account as every one is, and one whose least amount is above any that can be paid. */
const callers = new Map([
  ['pk_test_gallery', callerWith(defaultSettings)],
  [
    'pk_test_shut',
    callerWith({ ...defaultSettings, terms: { ...defaultSettings.terms, limits: { min: '100000000', max: null } } }),
  ],
])
