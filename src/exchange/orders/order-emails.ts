import { accountFormOf, printAccount } from '../../reference/bank/account.ts'
import type { Destination } from '../../rails/rail.ts'
import type { Ctx } from '../context.ts'
import type { Language } from '../../platform/language/language.ts'
import { ratioFrom } from '../../platform/money/ratio.ts'
import type { OrderEmailKind, OrderEmailWriter } from '../mail/email.ts'
import type { Fact } from '../mail/layout.ts'
import { costLines, totalCostText } from '../pricing/cost-lines.ts'
import { type TotalCost, totalCostOf } from '../pricing/total-cost.ts'
import { rateText } from '../pricing/price-text.ts'
import { type Instruction, instructionOf } from '../settlement/instruction.ts'
import { slippageOf } from '../settlement/reprice.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { costOfTransaction } from '../transactions/cost.ts'
import { readById } from '../transactions/load.ts'
import { depositMethodOf } from '../transactions/method.ts'
import { contentAboutOrder, type EmailText } from '../transactions/order-email.ts'
import { hasReceipt, receiptUrl } from '../transactions/receipt-link.ts'
import { asPromised, isExchanged, pricePromiseOf } from '../transactions/price-promise.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { layOut } from '../mail/layout.ts'
import { receiptOf } from './receipt.ts'
import { refundedTo } from './refunded-to.ts'

/** Writes the emails that say how an order goes, from the order as it is when the email is sent. */
export const orderEmailWriter =
  (ctx: Ctx): OrderEmailWriter =>
  async (email, transactionId) => {
    const transaction = await readById(ctx, ctx.db, transactionId)
    if (!transaction) return undefined
    const instruction = email.kind === 'order_received' ? await instructionOf(ctx.db, transactionId) : undefined
    const back = email.kind === 'refunded' ? await refundedTo(ctx, transaction) : null
    const mostWorse = slippageOf(ctx, await partnerOf(ctx, transaction), ctx.clock.now()).basisPoints
    const text = texts[email.kind]({ ctx, transaction, instruction, back, mostWorse })
    const { content, ...about } = await contentAboutOrder(ctx, transaction, text)
    return { ...email, ...about, ...layOut(content) }
  }

/** What an email is about; `back` is where a refund went, `mostWorse` how much worse a new price may be in basis points. */
type Order = {
  ctx: Ctx
  transaction: Transaction
  instruction: Instruction | undefined
  back: Destination | null
  mostWorse: number
}

type TextOf = (order: Order) => EmailText

const texts: Readonly<Record<OrderEmailKind, TextOf>> = {
  order_received: (order) => (language, values) => {
    const { transaction, instruction } = order
    const { say, amount, moment } = language
    const payTo = instruction?.payTo.kind ?? 'page'
    const due = {
      amount: amount(transaction.expectedFrom, transaction.from),
      moment: moment(transaction.expiresAt),
    }
    return {
      subject: say('emails.received.subject', values),
      paragraphs: [say(`emails.received.${payTo}`, { ...values, ...due }), say('emails.received.next')],
      facts: [payToFacts(transaction, instruction, language), ...orderFacts(order, language)],
    }
  },
  money_received: (order) => (language, values) => {
    const { say, amount } = language
    const { fromAmount, from, toAmount, expectedTo, to } = order.transaction
    const promise = pricePromiseOf(order.transaction, order.ctx.clock.now())
    return {
      subject: say('emails.paid.subject', values),
      paragraphs: [
        say('emails.paid.lead', { ...values, amount: amount(fromAmount, from) }),
        say('emails.paid.next', { amount: asPromised(amount(toAmount ?? expectedTo, to), promise, language) }),
      ],
      facts: orderFacts(order, language),
    }
  },
  sent: (order) => (language, values) => {
    const { say, currency } = language
    const { to } = order.transaction
    return {
      subject: to.currency.kind === 'FIAT' ? say('done.money') : say('done.title', { asset: currency(to.currency) }),
      paragraphs: [say('emails.sent.lead', values)],
      ...receiptPart(order, language),
    }
  },
  refunded: (order) => (language, values) => {
    const { say, amount } = language
    const { received } = receiptOf(order.ctx, { ...order.transaction, status: 'refunded' }, order.back)
    const { facts, ...link } = receiptPart(order, language)
    return {
      subject: say('ended.refunded.title'),
      paragraphs: [
        say('emails.refunded.lead', { ...values, amount: amount(received.amount, received.listing) }),
        say('ended.refunded.lead'),
      ],
      ...link,
      facts: [[backFact(order, language)], ...facts],
    }
  },
  expired:
    () =>
    ({ say }, values) => ({
      subject: say('emails.expired.subject', values),
      paragraphs: [say('ended.expired.lead'), say('ended.expired.next', values)],
    }),
}

/** What is paid, what arrives, and what it costs: before the end, as it was agreed, and whether that can still change. */
function orderFacts({ ctx, transaction, mostWorse }: Order, language: Language): Fact[][] {
  const { say, amount, moment, percent } = language
  const { expectedFrom, from, expectedTo, to, quoteExpiresAt } = transaction
  const promise = pricePromiseOf(transaction, ctx.clock.now())
  const until = isExchanged(transaction) ? [] : [say('deadline.fixedUntil', { moment: moment(quoteExpiresAt) })]
  const [note] = promise === 'fixed' ? until : [say('deadline.atArrival', { share: percent(mostWorse) })]
  return [
    [
      { name: say('summary.pay'), value: amount(expectedFrom, from) },
      {
        name: say('summary.receive'),
        value: asPromised(amount(expectedTo, to), promise, language),
        ...(note === undefined ? {} : { note }),
      },
      rateFact(transaction, language),
    ],
    costFacts(transaction, totalCostOf(transaction.quote), language),
  ]
}

const rateFact = ({ quote, from, to }: Transaction, language: Language): Fact => ({
  name: language.say('summary.rate'),
  value: rateText({ price: ratioFrom(quote.price), side: quote.side, from, to }, language),
})

function costFacts(transaction: Transaction, cost: TotalCost, language: Language): Fact[] {
  const total = { name: language.say('summary.totalCost'), value: totalCostText(transaction, cost, language) }
  return [...costLines(transaction, cost, language), total]
}

/** Where a refund went: an address, an account, or the card that was paid with. */
function backFact({ transaction, back }: Order, { say }: Language): Fact {
  const name = say('receipt.sentTo')
  if (back === null) return { name, value: say('receipt.wayBack') }
  const form = accountFormOf(depositMethodOf(transaction).category)
  const value = form === undefined ? back.address : printAccount(form, back.address)
  return { name, value, ...(back.extraId === '' ? {} : { note: back.extraId }) }
}

/** The receipt, and its link. */
function receiptPart(
  { ctx, transaction }: Order,
  language: Language,
): { facts: Fact[][] } & Partial<ReturnType<EmailText>> {
  if (!hasReceipt(transaction)) return { facts: [] }
  const { say, amount, dateTime } = language
  const { number, issuedAt, isRefund, paid, received, address, extraId, hash, explorerUrl } = receiptOf(
    ctx,
    transaction,
    null,
  )
  const isChain = received.listing.network.chain !== undefined
  const destination: Fact[] = [
    ...(address === null
      ? []
      : [{ name: say('receipt.sentTo'), value: address, ...(extraId ? { note: extraId } : {}) }]),
    ...(hash === null
      ? []
      : [
          {
            name: say(isChain ? 'done.hash' : 'done.bankReference'),
            value: hash,
            ...(explorerUrl === null ? {} : { url: explorerUrl }),
          },
        ]),
  ]
  return {
    facts: [
      [
        { name: say('receipt.number'), value: number },
        { name: say('receipt.date'), value: dateTime(issuedAt) },
        { name: say('receipt.paid'), value: amount(paid.amount, paid.listing) },
        {
          name: say(isRefund ? 'receipt.returned' : 'receipt.received'),
          value: amount(received.amount, received.listing),
        },
        ...(isRefund ? [] : [rateFact(transaction, language)]),
      ],
      costFacts(transaction, costOfTransaction(transaction), language),
      destination,
    ],
    link: { label: say('receipt.view'), url: receiptUrl(ctx, transaction) },
  }
}

/** Where to pay, for bank transfers and coins. */
function payToFacts(
  transaction: Transaction,
  instruction: Instruction | undefined,
  { say, find, amount }: Language,
): Fact[] {
  if (!instruction || instruction.payTo.kind === 'page') return []
  const { from, expectedFrom } = transaction
  const { payTo, reference } = instruction
  if (payTo.kind === 'address') {
    const memo = from.network.chain?.memo?.name ?? 'Memo'
    return [
      { name: say('coin.amount'), value: amount(expectedFrom, from) },
      { name: say('coin.network'), value: from.network.name },
      {
        name: say('coin.address', { asset: from.asset.ticker, network: from.network.name }),
        value: payTo.address,
      },
      ...(payTo.extraId === '' ? [] : [{ name: find(`memo.name.${memo}`) ?? memo, value: payTo.extraId }]),
    ]
  }
  const form = accountFormOf(depositMethodOf(transaction).category) ?? 'swift'
  return [
    { name: say('transfer.amount'), value: amount(expectedFrom, from) },
    { name: say('transfer.holder'), value: payTo.holder },
    { name: say(`transfer.account.${form}`), value: printAccount(form, payTo.account) },
    ...(payTo.bic === '' ? [] : [{ name: say('transfer.bic'), value: payTo.bic }]),
    ...(payTo.bank === '' ? [] : [{ name: say('transfer.bank'), value: payTo.bank }]),
    { name: say('transfer.reference'), value: reference, note: say('transfer.referenceHint') },
  ]
}
