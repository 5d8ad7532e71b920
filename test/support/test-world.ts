import assert from 'node:assert/strict'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { MarketSource } from '../../src/markets/source.ts'
import type { Applicant, IdentityProvider } from '../../src/identity/provider.ts'
import type { Rail } from '../../src/rails/rail.ts'
import type { OpenPlugIn } from '../../src/app/plug-in.ts'

/** A card processor, a wallet, a market and an identity provider that know nothing of the sandbox. */
export type TestWorld = {
  open: OpenPlugIn
  /** What the wallet was given at first, in satoshi. */
  capital: bigint
  /** Orders at the processor's page, by our reference. */
  orders: Map<string, { amount: bigint; asset: string }>
  /** What the processor has captured, by its payment. */
  captured: Map<string, { amount: bigint; asset: string }>
  /** What the wallet has sent, by the key of the payment. */
  sent: Map<string, { address: string; amount: bigint }>
  /** The check that was started last. */
  applicant: Applicant | undefined
}

/** Proves the sender of a callback. */
export const testSignature = { 'x-test-signature': 'of the test world' }

const cardName = 'test-card'
const walletName = 'test-wallet'
const providerName = 'test-identity'

/** Makes a world of its own for one exchange. */
export function testWorld(): TestWorld {
  const world: TestWorld = {
    capital: 10_000_000_000n,
    orders: new Map(),
    captured: new Map(),
    sent: new Map(),
    applicant: undefined,
    open: () =>
      Promise.resolve({
        rails: railsOf(world),
        market: fixedMarket,
        identityProviders: [providerOf(world)],
        doors: () => ({ leadsTo: ['https://cards.example'] }),
      }),
  }
  return world
}

const railsOf = (world: TestWorld): Rail[] => [cardRail(world), walletRail(world)]

const cardRail = (world: TestWorld): Rail => ({
  name: cardName,
  custodyAccount: cardName,
  serves: [{ directions: ['deposit'], categories: ['VISA_MC'], networks: 'any' }],
  deposit: {
    instruct: ({ id }) => Promise.resolve({ reference: `order-${id}`, payTo: { kind: 'page' } }),
    open: ({ reference, amount, asset }) => {
      world.orders.set(reference, { amount, asset })
      return Promise.resolve({ payAt: `https://cards.example/pay/${reference}` })
    },
    look: () => Promise.resolve([]),
    origin: () => Promise.resolve('unknown'),
  },
  readCallback: ({ body, headers }) => {
    assertSigned(headers)
    const { reference = '', amount = '0', asset = '' } = JSON.parse(body) as Record<string, string>
    const payment = `payment of ${reference}`
    const captured = { amount: BigInt(amount), asset }
    world.captured.set(payment, captured)
    const key = `captured ${reference}`
    return Promise.resolve({ events: [{ key, kind: 'deposit_final', reference, payment, ...captured, body: {} }] })
  },
  balance: (asset) =>
    Promise.resolve(
      [...world.captured.values()].reduce((sum, one) => (one.asset === asset ? sum + one.amount : sum), 0n),
    ),
})

const walletRail = (world: TestWorld): Rail => ({
  name: walletName,
  custodyAccount: walletName,
  serves: [{ directions: ['payout'], categories: ['CRYPTO'], networks: ['BTC'] }],
  payout: {
    lookAfterMs: 50,
    mostFee: () => undefined,
    prepare: (orders) =>
      Promise.resolve(
        orders.map(({ payoutId, amount, destination }) => ({
          key: `payout-${payoutId}`,
          payoutId,
          body: { address: destination.address, amount: String(amount) },
        })),
      ),
    submit: ({ key, body: { address = '', amount = '0' } }) => {
      world.sent.set(key, { address, amount: BigInt(amount) })
      return Promise.resolve()
    },
    look: ({ key }) =>
      Promise.resolve(
        world.sent.has(key)
          ? { state: 'done', evidence: { hash: `hash of ${key}`, fee: undefined } }
          : { state: 'pending' },
      ),
    owns: () => false,
  },
  balance: (asset) =>
    Promise.resolve(
      asset === 'BTC-BTC' ? [...world.sent.values()].reduce((left, { amount }) => left - amount, world.capital) : 0n,
    ),
})

/** One bitcoin is 50,000 euro, and a euro is a dollar. */
const fixedMarket: MarketSource = {
  name: 'fixed',
  reference: 'EUR',
  markets: [
    { name: 'BTC/EUR', base: 'BTC', quote: 'EUR', source: 'fixed' },
    { name: 'EUR/USD', base: 'EUR', quote: 'USD', source: 'fixed' },
  ],
  booksAt: (at) =>
    fixedMarket.markets.map((market) => {
      const price = { numerator: market.base === 'BTC' ? 50_000n : 1n, denominator: 1n }
      return { market, bid: price, ask: price, at }
    }),
}

const providerOf = (world: TestWorld): IdentityProvider => ({
  name: providerName,
  importByToken: () => Promise.reject(new Refusal('BAD_REQUEST', 'Nobody is shared here.')),
  start: ({ reference, returnUrl }) => {
    world.applicant = applicantOf(reference)
    return Promise.resolve({ applicantId: reference, goTo: `https://identity.example/?back=${returnUrl}` })
  },
  pageOrigins: () => ['https://identity.example'],
  applicant: (id) => Promise.resolve(id === world.applicant?.review.applicantId ? world.applicant : undefined),
  applicantStatus: (id) =>
    Promise.resolve(id === world.applicant?.review.applicantId ? world.applicant.review : undefined),
  readCallback: (body, headers) => {
    assertSigned(headers)
    return { key: body, kind: 'applicant.changed', applicantId: body, at: undefined, body: {} }
  },
  close: () => Promise.resolve(),
})

const applicantOf = (applicantId: string): Applicant => ({
  review: {
    applicantId,
    status: 'approved',
    level: 'id-and-liveness',
    reviewedAt: new Date('2026-11-20T10:00:00Z'),
    screening: [],
    reasons: [],
  },
  kyc: {
    level: 'id-and-liveness',
    provider: providerName,
    verifiedAt: new Date('2026-11-20T10:00:00Z'),
    expiresAt: undefined,
    missingFields: [],
  },
  person: { firstName: 'Ada', lastName: 'Berger', birthDate: '1980-01-15', country: 'NL', email: 'ada@example.com' },
})

function assertSigned(headers: Record<string, string | undefined>): void {
  const [[name, value]] = Object.entries(testSignature) as [[string, string]]
  if (headers[name] !== value) throw new Refusal('SIGNATURE_INVALID', 'The signature does not match.')
  assert.equal(typeof value, 'string')
}
