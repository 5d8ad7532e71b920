import { companyOf } from '../../src/app/config/environment.ts'
import { languageOf } from '../../src/platform/language/language.ts'
import type { PageProps } from '../../src/doors/checkout/page.ts'
import { payAidsOf } from '../../src/doors/checkout/pay-aids.ts'
import { payButtonFor, sandboxNotices } from '../../src/sandbox/notices.ts'
import type { Billing } from '../../src/exchange/customers/billing-field.ts'
import { after } from '../../src/platform/lib/clock.ts'
import { parseAmount } from '../../src/platform/money/amount.ts'
import type { CheckoutView, WayToPay } from '../../src/exchange/orders/checkout-view.ts'
import { someTime } from './arbitrary-terms.ts'
import { byCoins, byTransfer, listed, methodFor, paidToAccount, sampleView } from './checkout-views.ts'
import { afterPaying, deciding } from './paid-pages.ts'
import { btc, card, doge, eth, type Sample, sellInto, sellOfBtc, swap, usdt, xrp } from './sample-page.ts'

const minute = 60_000
const waits: Partial<CheckoutView> = { status: 'waiting_for_deposit' }
const asksAccount: Partial<CheckoutView> = { missing: ['payout_address'] }

const way = (category: Parameters<typeof methodFor>[1], amount: string): WayToPay => ({
  method: methodFor(card, category),
  name: category,
  toAmount: parseAmount(amount, btc.asset),
})
const ways = [
  way('APPLE_PAY', '0.00099371'),
  way('SEPA', '0.00102041'),
  way('OPEN_BANKING', '0.00101518'),
  way('REVOLUT_PAY', '0.00100996'),
]

const returned = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const lookAlike = 'bc1qw508m0jrwkvmt8l7h5xw7zzzy0c5xw7kv8f3t4'

const billing: Billing = {
  countryAlpha2: 'NL',
  region: 'Noord-Holland',
  city: 'Amsterdam',
  streetAddress: 'Herengracht 1',
  aptNumber: '-',
  postIndex: '1015 BA',
  firstName: 'Jan',
  lastName: 'Jansen',
  dateOfBirthday: '23.04.1987',
  gender: 'M',
}

/** The pages until it is known how to pay, and the ways to pay at a page of somebody else's. */
const beforePaying: Record<string, Sample> = {
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
  'code-terms': { step: 'code', view: { missing: ['code', 'terms'] }, isProven: false },
  terms: { step: 'terms', view: { missing: ['terms'] } },
  country: { step: 'country', view: { country: null, missing: ['country'] } },
  billing: { step: 'billing', view: { billing: { firstName: 'Jan', countryAlpha2: 'US' }, missing: ['billing'] } },
  'billing-refused': { step: 'billing', view: { billing: { ...billing, countryAlpha2: 'IR' }, missing: ['billing'] } },
  'billing-passed': {
    step: 'billing',
    view: {
      ...waits,
      billing: { ...billing, firstName: 'J••••', lastName: 'J••••', city: 'U••••', streetAddress: 'H•••• 1••••' },
      bound: { billing: ['firstName', 'lastName', 'city', 'streetAddress'], destination: true, holder: false },
    },
  },
  'billing-wrong': {
    step: 'billing',
    view: { billing },
    more: {
      problems: [problem('apt_number', 'APARTMENT_MISSING'), problem('date_of_birthday', 'BIRTHDAY_ILL_FORMED')],
      typed: { apt_number: '', date_of_birthday: '1987' },
    },
  },
  'payout-address': { step: 'payout_address', view: { payoutAddress: null, missing: ['payout_address'] } },
  'payout-address-wrong': {
    step: 'payout_address',
    view: { payoutAddress: null, missing: ['payout_address'] },
    more: {
      problems: [{ field: 'payout_address', text: 'The checksum does not match: check every character.' }],
      typed: { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5' },
    },
  },
  'payout-address-memo': { step: 'payout_address', view: { payoutAddress: null }, order: { to: xrp } },
  'payout-address-resembling': {
    step: 'payout_address',
    view: { payoutAddress: null },
    more: {
      problems: [problem('payout_address', 'RESEMBLES_EARLIER')],
      typed: { payout_address: lookAlike },
      resembled: returned,
    },
  },
  'payout-address-returned': {
    step: 'payout_address',
    view: { status: 'on_hold', statusDetails: 'address_needed', payoutAddress: returned },
  },
  'account-iban': { step: 'payout_address', view: asksAccount, order: sellOfBtc },
  'account-iban-wrong': {
    step: 'payout_address',
    view: asksAccount,
    order: sellOfBtc,
    more: {
      problems: [problem('payout_holder', 'HOLDER_MISSING'), { field: 'payout_address', text: 'This is not an IBAN.' }],
      typed: { payout_address: 'NL91 ABNA 0417 1643 01' },
    },
  },
  'account-uk': { step: 'payout_address', view: asksAccount, order: sellInto('GBP', 'FASTERPAYMENTS') },
  'account-swift': { step: 'payout_address', view: asksAccount, order: sellInto('JPY', 'SWIFT') },
  'account-pix': { step: 'payout_address', view: asksAccount, order: sellInto('BRL', 'PIX') },
  'account-clabe': { step: 'payout_address', view: asksAccount, order: sellInto('MXN', 'SPEI') },
  'account-fixed': {
    step: 'payout_address',
    view: { ...asksAccount, ...paidToAccount, payoutHolder: null, payoutAddressChangeable: false },
    order: sellOfBtc,
  },
  'account-returned': {
    step: 'payout_address',
    view: { ...paidToAccount, status: 'on_hold', statusDetails: 'address_needed' },
    order: sellOfBtc,
  },
  ...Object.fromEntries(
    (['start', 'again', 'review', 'over'] as const).map((identity): [string, Sample] => [
      `identity-${identity}`,
      { step: 'identity', view: { statusDetails: 'kyc_required', missing: ['identity'], identity } },
    ]),
  ),
  'identity-result': {
    step: 'identity',
    view: { statusDetails: 'kyc_required', missing: ['identity'], identity: 'start' },
    wish: 'identity',
  },
  'identity-down': {
    step: 'identity',
    view: { statusDetails: 'kyc_required', missing: ['identity'], identity: 'start' },
    more: { problems: [problem('', 'SERVICE_UNAVAILABLE')] },
  },
  pay: { step: 'pay', view: waits },
  'pay-billing': { step: 'pay', view: { ...waits, billing } },
  'pay-late': { step: 'pay', view: { ...waits, quoteExpiresAt: after(someTime, -minute) } },
  'pay-declined': { step: 'pay', view: { ...waits, errors: [{ code: 'card_declined', reason: 'declined' }] } },
  'pay-ether': {
    step: 'pay',
    view: { ...waits, partnerName: 'The Extraordinarily Long-Named Company for Digital Assets and Payments Limited' },
    order: { to: eth },
  },
  'pay-apple': { step: 'pay', view: waits, order: { deposit: 'APPLE_PAY' } },
  'pay-bank': { step: 'pay', view: { ...waits, mayChooseMethod: false }, order: { deposit: 'OPEN_BANKING' } },
  'pay-preparing': { step: 'pay', view: { payTo: null } },
  method: { step: 'method', view: waits, ways },
  'method-none': { step: 'method', view: waits },
  'pay-unpaid': { step: 'pay', view: waits, payment: 'none' },
  checking: { step: 'checking', view: waits, payment: 'paid' },
  'checking-begun': { step: 'checking', view: waits, payment: 'begun' },
  'checking-unclear': { step: 'checking', view: waits, payment: 'silent' },
}

/** The pages that say where to pay by hand. */
const paying: Record<string, Sample> = {
  'transfer-sepa': { step: 'pay', view: byTransfer('SEPA', 'EUR'), order: { deposit: 'SEPA' } },
  'transfer-ether': {
    step: 'pay',
    view: { ...byTransfer('SEPA', 'EUR'), toAmount: 1_234_076_302_580_652_225_687n },
    order: { deposit: 'SEPA', to: eth },
  },
  'transfer-uk': {
    step: 'pay',
    view: byTransfer('FASTERPAYMENTS', 'GBP'),
    order: { from: listed('GBP'), deposit: 'FASTERPAYMENTS', to: doge },
  },
  'transfer-swift': {
    step: 'pay',
    view: byTransfer('SWIFT', 'BHD'),
    order: { from: listed('BHD'), deposit: 'SWIFT', amount: '1234.567' },
  },
  'transfer-pix': {
    step: 'pay',
    view: byTransfer('PIX', 'BRL'),
    order: { from: listed('BRL'), deposit: 'PIX', amount: '550' },
  },
  'transfer-spei': {
    step: 'pay',
    view: byTransfer('SPEI', 'MXN'),
    order: { from: listed('MXN'), deposit: 'SPEI', amount: '2000' },
  },
  'coin-btc': { step: 'pay', view: { ...byCoins(btc), ...paidToAccount }, order: sellOfBtc },
  'coin-late': {
    step: 'pay',
    view: { ...byCoins(btc), ...paidToAccount, quoteExpiresAt: after(someTime, -minute) },
    order: sellOfBtc,
  },
  'coin-memo': { step: 'pay', view: byCoins(xrp, '1840512367'), order: swap },
  'coin-token': {
    step: 'pay',
    view: { ...byCoins(usdt), ...paidToAccount, payoutAddress: '20000055779911' },
    order: { from: usdt, to: listed('GBP'), payout: 'FASTERPAYMENTS', amount: '750.123456' },
  },
}

/** Every page of the checkout, by name: each step as it is first seen, with problems, for every way to pay, and every end. */
export const samplePages: Record<string, Sample> = { ...beforePaying, ...paying, ...afterPaying, ...deciding }

function problem(field: string, code: string) {
  return { field, text: languageOf('en').find(`problem.${code}`) ?? code }
}

/** The sandbox's own, so that the pages are as tall as real ones. */
const company = companyOf('sandbox')

/** What a sample page is made of. */
export async function sampleProps(sample: Sample): Promise<PageProps> {
  const { step, more, isProven = true } = sample
  const view = sampleView(sample.view, sample.order)
  const home = `/checkout?tid=${view.tid}`
  return {
    visit: {
      view,
      step,
      wish: sample.wish,
      choices: sample.choices ?? {},
      isRefused: false,
      isBack: sample.payment !== undefined,
      payment: sample.payment ?? 'none',
      customerId: isProven ? 1n : undefined,
      email: view.email,
      isTypedHere: false,
      hasAsked: false,
      code: { expiresAt: after(someTime, 9.5 * minute), isRepeat: false, waitMs: 12_000 },
      version: 'sample',
    },
    language: languageOf('en'),
    here: home,
    home,
    now: someTime,
    problems: [],
    typed: {},
    notices: { ...sandboxNotices, ...(company ? { company } : {}) },
    look: { name: undefined, sheet: undefined, logo: undefined },
    ways: sample.ways ?? [],
    legal: { termsUrl: '/en/terms', privacyUrl: '/en/privacy', accepts: '1 1' },
    aids: step === 'pay' ? { ...(await payAidsOf(view)), button: payButtonFor(view.tid, 'en') } : {},
    ...more,
  }
}
