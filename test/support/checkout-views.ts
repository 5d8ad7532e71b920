import { findListing, type Listing } from '../../src/reference/catalog/asset.ts'
import { sideOf } from '../../src/reference/catalog/currency.ts'
import { makeReference } from '../../src/reference/bank/creditor-reference.ts'
import { accountFor } from '../../src/rails/bank-accounts.ts'
import { sandboxAccounts } from '../../src/sandbox/bank/our-accounts.ts'
import type { PaymentMethod } from '../../src/reference/catalog/payment-method.ts'
import type { Category } from '../../src/reference/catalog/payment-category.ts'
import { flowOf } from '../../src/doors/checkout/way-to-pay.ts'
import { after } from '../../src/platform/lib/clock.ts'
import type { Book } from '../../src/markets/source.ts'
import { parseAmount } from '../../src/platform/money/amount.ts'
import { boundIn } from '../../src/exchange/orders/giver.ts'
import { policies, schedule } from './policies.ts'
import { makeQuote } from '../../src/exchange/pricing/quote.ts'
import { termsOf } from '../../src/exchange/pricing/terms.ts'
import type { CheckoutView } from '../../src/exchange/orders/checkout-view.ts'
import { euroBook, ratesBetween, someTime } from './arbitrary-terms.ts'

/** An asset of the catalog, which must have it. */
export function listed(ticker: string, network?: string): Listing {
  const listing = findListing(ticker, network)
  if (!listing) throw new Error(`The catalog has no ${ticker}.`)
  return listing
}

/** A method of an asset, by its category. */
export function methodFor({ network }: Listing, category: Category): PaymentMethod {
  const method = network.paymentMethods.find((one) => one.category === category)
  if (!method) throw new Error(`${network.code} does not move by ${category}.`)
  return method
}

/** Prices in euro, in hundredths of a millionth: bid and ask. */
const prices: Record<string, [bid: bigint, ask: bigint]> = {
  EUR: [10n ** 8n, 10n ** 8n],
  GBP: [115_100_000n, 115_200_000n],
  JPY: [610_000n, 611_000n],
  BHD: [243_500_000n, 243_900_000n],
  MXN: [4_700_000n, 4_710_000n],
  BRL: [16_000_000n, 16_020_000n],
  BTC: [9_512_345_000_000n, 9_514_567_000_000n],
  ETH: [340_012_000_000n, 340_099_000_000n],
  USDT: [92_010_000n, 92_040_000n],
  XRP: [201_000_000n, 201_200_000n],
  DOGE: [8_120_000n, 8_130_000n],
}

function priceOf(ticker: string): Book {
  const [bid, ask] = prices[ticker] ?? []
  if (bid === undefined || ask === undefined) throw new Error(`There is no sample price of ${ticker}.`)
  return euroBook(ticker, bid, ask)
}

/** What a sample order is about; each part has a usual value. */
export type Order = { from?: Listing; to?: Listing; amount?: string; deposit?: Category; payout?: Category }

const minute = 60_000
const usualMethod = ({ currency }: Listing, fiat: Category): Category => (currency.kind === 'FIAT' ? fiat : 'CRYPTO')

/** An order as the checkout sees it, with one thing changed: 100 EUR by card in bitcoin, if nothing else is said. */
export function sampleView(change: Partial<CheckoutView> = {}, order: Order = {}): CheckoutView {
  const { from = listed('EUR'), to = listed('BTC'), amount = '100' } = order
  const side = sideOf(from.currency, to.currency)
  if (!side) throw new Error('Fiat is not exchanged for fiat.')
  const deposit = methodFor(from, order.deposit ?? usualMethod(from, 'VISA_MC'))
  const payout = methodFor(to, order.payout ?? usualMethod(to, 'SEPA'))
  const fromAmount = parseAmount(amount, from.asset)
  const { methods } = policies.at(someTime, 'fees').rules
  const quote = makeQuote(
    termsOf({
      side,
      from: from.asset,
      to: to.asset,
      ...ratesBetween(priceOf(from.asset.ticker), priceOf(to.asset.ticker)),
      schedule,
      depositBasisPoints: methods.get(deposit.category)?.deposit ?? 0,
      payoutBasisPoints: methods.get(payout.category)?.payout ?? 0,
      commissionBasisPoints: 50,
      networkFee: parseAmount(to.network.networkFee ?? '0', to.asset),
    }),
    { direction: 'direct', amount: fromAmount, feesIncluded: true, madeAt: someTime, validForSeconds: 900 },
  )
  return {
    id: 1n,
    publicId: 481_516_234_210_864n,
    tid: 'oYb1m7m2Zq0X8d5cJ4tQwVfK',
    partnerId: 1n,
    partnerName: 'Tulip Wallet',
    status: 'waiting_for_customer',
    statusDetails: null,
    errors: [],
    missing: [],
    identity: null,
    email: 'jan.jansen@example.com',
    country: 'NL',
    answers: {},
    billing: null,
    from,
    to,
    fromAmount,
    arrived: 0n,
    refunds: [],
    toAmount: parseAmount(quote.toAmount, to.asset),
    quote,
    mostWorse: 200,
    quoteExpiresAt: after(someTime, 14.5 * minute),
    expiresAt: after(someTime, 29.5 * minute),
    deposit,
    payout,
    payTo: flowOf(deposit) === 'page' ? { kind: 'page', reference: 'page' } : null,
    confirmations: null,
    mayChooseMethod: true,
    payoutAddress: to.currency.kind === 'FIAT' ? null : (to.network.chain?.addressExample ?? null),
    extraId: null,
    payoutHolder: null,
    payoutAddressChangeable: true,
    bound: boundIn({}),
    mayCancel: true,
    customerId: null,
    takesProofs: change.email === null,
    redirects: { successful: 'https://tulip.example/orders/$$', failed: 'https://tulip.example/failed' },
    isTaken: false,
    outputHash: null,
    explorerUrl: null,
    receiptUrl: null,
    locale: 'en',
    history: [],
    ...change,
  }
}

/** What an order that is paid by bank transfer says besides: our account for it, and days to pay. */
export function byTransfer(category: Category, currency: string): Partial<CheckoutView> {
  const account = accountFor(sandboxAccounts, category, currency)
  if (!account) throw new Error(`We have no account for ${currency}.`)
  return {
    status: 'waiting_for_deposit',
    payTo: { kind: 'account', ...account, reference: makeReference(new Uint8Array(16).fill(77)) },
    expiresAt: after(someTime, 5 * 1_440 * minute),
  }
}

/** What an order that is paid in coins says besides: a fresh address, with a memo where the network shares one. */
export function byCoins({ network }: Listing, extraId = ''): Partial<CheckoutView> {
  const { addressExample: address = '', minConfirmations: confirmations = 1 } = network.chain ?? {}
  return {
    status: 'waiting_for_deposit',
    mayChooseMethod: false,
    payTo: { kind: 'address', address, extraId, reference: address + extraId },
    confirmations,
    quoteExpiresAt: after(someTime, 19.5 * minute),
    expiresAt: after(someTime, 1_439 * minute),
  }
}

/** Where money goes, of somebody who has given it. */
export const paidToAccount: Partial<CheckoutView> = {
  payoutAddress: 'NL91ABNA0417164300',
  extraId: null,
  payoutHolder: 'Jan Jansen-van der Meer',
}
