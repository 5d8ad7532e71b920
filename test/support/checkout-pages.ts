import { findListing, type Listing } from '../../src/catalog/asset.ts'
import { languageOf } from '../../src/checkout/language.ts'
import type { PageProps } from '../../src/checkout/page.ts'
import type { Step } from '../../src/checkout/step.ts'
import { after } from '../../src/lib/clock.ts'
import { parseAmount } from '../../src/money/amount.ts'
import { scheduleAt } from '../../src/pricing/fees.ts'
import { makeQuote } from '../../src/pricing/quote.ts'
import { termsOf } from '../../src/pricing/terms.ts'
import type { CheckoutView } from '../../src/transactions/checkout-view.ts'
import { marketPrice, someTime } from './arbitrary-terms.ts'

const listed = (ticker: string, network?: string): Listing => {
  const listing = findListing(ticker, network)
  if (!listing) throw new Error(`The catalogue has no ${ticker}.`)
  return listing
}

const minute = 60_000

/** A buy of 100 EUR in a coin as the checkout sees it, with one thing changed. */
export function sampleView(change: Partial<CheckoutView> = {}): CheckoutView {
  const from = listed('EUR')
  const to = change.to ?? listed('BTC')
  const quote = makeQuote(
    termsOf({
      side: 'buy',
      from: from.asset,
      to: to.asset,
      fromPrice: marketPrice('EUR', 10n ** 8n, 10n ** 8n),
      toPrice: marketPrice('BTC', 9_512_345_000_000n, 9_514_567_000_000n),
      reference: 'EUR',
      schedule: scheduleAt(someTime),
      depositBasisPoints: 250,
      payoutBasisPoints: 0,
      commissionBasisPoints: 50,
      networkFee: parseAmount(to.network.networkFee ?? '0', to.asset),
    }),
    { direction: 'direct', amount: 10_000n, feesIncluded: true, madeAt: someTime, validForSeconds: 900 },
  )
  return {
    id: 1n,
    publicId: 4_815_162_342_108_642_359n,
    partnerId: 1n,
    partnerName: 'Tulip Wallet',
    status: 'waiting_for_customer',
    statusDetails: null,
    errors: [],
    missing: [],
    email: 'jan.jansen@example.com',
    country: 'NL',
    from,
    to,
    fromAmount: 10_000n,
    toAmount: parseAmount(quote.toAmount, to.asset),
    quote,
    quoteExpiresAt: after(someTime, 14.5 * minute),
    expiresAt: after(someTime, 29.5 * minute),
    payoutAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    extraId: null,
    payoutAddressChangeable: true,
    redirects: { successful: 'https://tulip.example/orders/$$', failed: 'https://tulip.example/failed' },
    outputHash: null,
    explorerUrl: null,
    locale: 'en',
    history: [],
    ...change,
  }
}

type Sample = { step: Step; view?: Partial<CheckoutView>; more?: Partial<PageProps>; isProven?: boolean }

const hash = '3f0a9c1bd67f2a1c5f1b7d6f1e0a4c9b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a'
const sent: Partial<CheckoutView> = {
  status: 'finished',
  outputHash: hash,
  explorerUrl: `https://mempool.space/tx/${hash}`,
}
const memoNetwork = (listing: Listing): Listing => {
  if (!listing.network.chain) throw new Error('No chain.')
  const memo = { required: true, name: 'Destination tag', regex: '^\\d+$' }
  return { ...listing, network: { ...listing.network, chain: { ...listing.network.chain, memo } } }
}

/** Every page of the checkout, by name: each step as it is first seen, with problems, and every end. */
export const samplePages: Record<string, Sample> = {
  email: { step: 'email', view: { email: null, missing: ['email', 'code'] } },
  'email-wrong': {
    step: 'email',
    view: { email: null, missing: ['email', 'code'] },
    more: { problems: [problem('email', 'EMAIL_ILL_FORMED')], typed: { email: 'jan@' } },
  },
  'email-known': { step: 'email', view: { missing: ['code'] }, isProven: false },
  code: { step: 'code', view: { missing: ['code'] }, isProven: false },
  'code-wrong': {
    step: 'code',
    view: { missing: ['code'] },
    isProven: false,
    more: { problems: [problem('code', 'CODE_WRONG')] },
  },
  country: { step: 'country', view: { country: null, missing: ['country'] } },
  'payout-address': { step: 'payout_address', view: { payoutAddress: null, missing: ['payout_address'] } },
  'payout-address-wrong': {
    step: 'payout_address',
    view: { payoutAddress: null, missing: ['payout_address'] },
    more: {
      problems: [{ field: 'payout_address', text: 'The checksum does not match: check every character.' }],
      typed: { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5' },
    },
  },
  'payout-address-memo': { step: 'payout_address', view: { to: memoNetwork(listed('BTC')) } },
  pay: { step: 'pay', view: { status: 'waiting_for_deposit' } },
  'pay-late': { step: 'pay', view: { status: 'waiting_for_deposit', quoteExpiresAt: after(someTime, -minute) } },
  'pay-declined': {
    step: 'pay',
    view: { status: 'waiting_for_deposit', errors: [{ code: 'card_declined', reason: 'declined' }] },
  },
  'pay-ether': {
    step: 'pay',
    view: {
      status: 'waiting_for_deposit',
      to: listed('ETH'),
      payoutAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      partnerName: 'The Extraordinarily Long-Named Company for Digital Assets and Payments Limited',
    },
  },
  checking: { step: 'checking', view: { status: 'waiting_for_deposit' } },
  exchanging: { step: 'progress', view: { status: 'exchanging' } },
  sending: { step: 'progress', view: { status: 'sending' } },
  'sending-elsewhere': { step: 'progress', view: { status: 'sending' }, isProven: false },
  hold: { step: 'hold', view: { status: 'on_hold', statusDetails: 'late' } },
  done: { step: 'done', view: sent },
  'done-elsewhere': { step: 'done', view: sent, isProven: false },
  expired: { step: 'ended', view: { status: 'expired' } },
  cancelled: { step: 'ended', view: { status: 'cancelled' } },
  failed: { step: 'ended', view: { status: 'failed' } },
  refunded: { step: 'ended', view: { status: 'refunded' } },
}

function problem(field: string, code: string) {
  return { field, text: languageOf('en').find(`problem.${code}`) ?? code }
}

/** What a sample page is made of. */
export function sampleProps({ step, view, more, isProven = true }: Sample): PageProps {
  const whole = sampleView(view)
  const home = `/checkout?tid=${whole.publicId}`
  return {
    visit: {
      view: whole,
      step,
      wish: undefined,
      isBack: false,
      customerId: isProven ? 1n : undefined,
      code: { expiresAt: after(someTime, 9.5 * minute) },
      version: 'sample',
    },
    language: languageOf('en'),
    here: home,
    home,
    now: someTime,
    problems: [],
    typed: {},
    isSandbox: true,
    ...more,
  }
}
