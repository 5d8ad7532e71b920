import { parseAmount } from '../../src/platform/money/amount.ts'
import type { CheckoutView } from '../../src/exchange/orders/checkout-view.ts'
import { byCoins, byTransfer, paidToAccount } from './checkout-views.ts'
import { btc, card, type Sample, sellInto, sellOfBtc, swap, usdt, xrp } from './sample-page.ts'

const hash = '3f0a9c1bd67f2a1c5f1b7d6f1e0a4c9b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a'
const sent: Partial<CheckoutView> = {
  status: 'finished',
  outputHash: hash,
  explorerUrl: `https://mempool.space/tx/${hash}`,
}
const waits: Partial<CheckoutView> = { status: 'waiting_for_deposit' }

/** The pages once money has been seen. */
export const afterPaying: Record<string, Sample> = {
  'confirming-coin': {
    step: 'confirming',
    view: { ...byCoins(btc), ...paidToAccount, statusDetails: 'confirming' },
    order: sellOfBtc,
  },
  'confirming-transfer': {
    step: 'confirming',
    view: { ...byTransfer('SEPA', 'EUR'), statusDetails: 'confirming' },
    order: { deposit: 'SEPA' },
  },
  exchanging: { step: 'progress', view: { status: 'exchanging' } },
  planned: { step: 'progress', view: { status: 'sending' } },
  'planned-money': { step: 'progress', view: { ...paidToAccount, status: 'sending' }, order: sellOfBtc },
  sending: { step: 'progress', view: { status: 'sending', isTaken: true } },
  'sending-money': {
    step: 'progress',
    view: { ...paidToAccount, status: 'sending', isTaken: true },
    order: sellOfBtc,
  },
  'sending-elsewhere': { step: 'progress', view: { status: 'sending' }, isProven: false },
  ...Object.fromEntries(
    (
      [
        'kyc_required',
        'underpaid',
        'overpaid',
        'late',
        'wrong_asset',
        'payout_unknown',
        'address_needed',
        'refund_pending',
        'review',
      ] as const
    ).map((statusDetails): [string, Sample] => [
      `hold-${statusDetails}`,
      { step: 'hold', view: { status: 'on_hold', statusDetails }, isProven: false },
    ]),
  ),
  done: { step: 'done', view: sent },
  'done-elsewhere': { step: 'done', view: sent, isProven: false },
  'done-money': {
    step: 'done',
    view: { ...paidToAccount, status: 'finished', outputHash: 'SBX-20260301-0000004711' },
    order: sellOfBtc,
  },
  'done-yen': {
    step: 'done',
    view: { status: 'finished', payoutAddress: '912345678901', extraId: 'SBBKJPJ0XXX', outputHash: 'SBX-4712' },
    order: sellInto('JPY', 'SWIFT'),
  },
  'done-swap': {
    step: 'done',
    view: { ...sent, explorerUrl: `https://tronscan.org/#/transaction/${hash}` },
    order: swap,
  },
  expired: { step: 'ended', view: { status: 'expired' } },
  cancelled: { step: 'ended', view: { status: 'cancelled' } },
  failed: { step: 'ended', view: { status: 'failed' } },
  refunded: { step: 'ended', view: { status: 'refunded' } },
}

const late: Partial<CheckoutView> = {
  status: 'on_hold',
  statusDetails: 'late',
  arrived: parseAmount('100', card.asset),
}
const offer = { fromAmount: parseAmount('100', card.asset), toAmount: parseAmount('0.00095012', btc.asset) }
const back = { parts: [{ asset: card.asset.id, amount: parseAmount('100', card.asset), cost: 0n }] }
const sentBack = {
  publicId: 7n,
  asset: btc.asset.id,
  amount: parseAmount('0.01', btc.asset),
  cost: parseAmount('0.00003', btc.asset),
  reason: 'more than was agreed',
  state: 'paid',
  plan: 'done',
  hash,
} as const

/** The pages on which the customer decides how an order goes on, and what was sent back. */
export const deciding: Record<string, Sample> = {
  'pay-cancel': { step: 'pay', view: waits, choices: { cancel: {} } },
  'decide-late': { step: 'decide', view: late, choices: { accept_price: offer, refund: back } },
  'decide-underpaid': {
    step: 'decide',
    view: {
      ...byTransfer('SEPA', 'EUR'),
      status: 'on_hold',
      statusDetails: 'underpaid',
      arrived: parseAmount('40', card.asset),
    },
    order: { from: card, to: btc, amount: '100', deposit: 'SEPA' },
    choices: {
      exchange_what_came: { ...offer, fromAmount: parseAmount('40', card.asset) },
      refund: { parts: [{ asset: card.asset.id, amount: parseAmount('40', card.asset), cost: 0n }] },
    },
  },
  'decide-underpaid-coin': {
    step: 'decide',
    view: { ...byCoins(btc), status: 'on_hold', statusDetails: 'underpaid', arrived: parseAmount('0.02', btc.asset) },
    order: sellOfBtc,
    choices: { refund: { parts: [{ asset: btc.asset.id, amount: sentBack.amount, cost: sentBack.cost }] } },
  },
  'decide-wrong-asset': {
    step: 'decide',
    view: { status: 'on_hold', statusDetails: 'wrong_asset' },
    order: swap,
    choices: { refund: { parts: [{ asset: usdt.asset.id, amount: 5_000_000n, cost: 1_000_000n }] } },
  },
  'refund-address': {
    step: 'refund_address',
    view: { status: 'on_hold', statusDetails: 'refund_pending' },
    order: swap,
    choices: { refund_address: { asset: xrp.asset.id, amount: 12_000_000n, memo: true } },
  },
  'refund-sent': {
    step: 'hold',
    view: { status: 'on_hold', statusDetails: 'refund_pending', refunds: [{ ...sentBack, state: 'sent' }] },
    order: sellOfBtc,
  },
  'done-refunded': { step: 'done', view: { ...sent, refunds: [sentBack] }, order: swap },
  'refunded-coins': { step: 'ended', view: { status: 'refunded', refunds: [sentBack] }, order: sellOfBtc },
}
