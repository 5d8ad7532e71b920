import { accountFormOf, printAccount } from '../../reference/bank/account.ts'
import type { Ctx } from '../context.ts'
import type { Language } from '../../platform/language/language.ts'
import { ratioFrom } from '../../platform/money/ratio.ts'
import type { OrderEmailKind, OrderEmailWriter } from '../mail/email.ts'
import type { Fact } from '../mail/layout.ts'
import { costLines, totalCostText } from '../pricing/cost-lines.ts'
import { type TotalCost, totalCostOf } from '../pricing/total-cost.ts'
import { rateText } from '../pricing/price-text.ts'
import { type Instruction, instructionOf } from '../settlement/instruction.ts'
import { costOfTransaction } from '../transactions/cost.ts'
import { readById } from '../transactions/load.ts'
import { depositMethodOf } from '../transactions/method.ts'
import { contentAboutOrder, type EmailText } from '../transactions/order-email.ts'
import { hasReceipt, receiptUrl } from '../transactions/receipt-link.ts'
import { pricePromiseOf } from '../transactions/price-promise.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { layOut } from '../mail/layout.ts'
import { receiptOf } from './receipt.ts'

/** Writes the emails that say how an order goes, from the order as it is when the email is sent. */
export const orderEmailWriter =
  (ctx: Ctx): OrderEmailWriter =>
  async (email, transactionId) => {
    const transaction = await readById(ctx, ctx.db, transactionId)
    if (!transaction) return undefined
    const instruction = email.kind === 'order_received' ? await instructionOf(ctx.db, transactionId) : undefined
    const { content, ...about } = await contentAboutOrder(
      ctx,
      transaction,
      texts[email.kind](ctx, transaction, instruction),
    )
    return { ...email, ...about, ...layOut(content) }
  }

type TextOf = (ctx: Ctx, transaction: Transaction, instruction: Instruction | undefined) => EmailText

const texts: Readonly<Record<OrderEmailKind, TextOf>> = {
  order_received: (ctx, transaction, instruction) => (language, values) => {
    const { say, amount, moment } = language
    const payTo = instruction?.payTo.kind ?? 'page'
    const due = {
      amount: amount(transaction.expectedFrom, transaction.from),
      moment: moment(transaction.expiresAt),
    }
    return {
      subject: say('emails.received.subject', values),
      paragraphs: [say(`emails.received.${payTo}`, { ...values, ...due }), say('emails.received.next')],
      facts: [payToFacts(transaction, instruction, language), ...orderFacts(ctx, transaction, language)],
    }
  },
  money_received: (ctx, transaction) => (language, values) => {
    const { say, amount } = language
    const { fromAmount, from, toAmount, expectedTo, to } = transaction
    return {
      subject: say('emails.paid.subject', values),
      paragraphs: [
        say('emails.paid.lead', { ...values, amount: amount(fromAmount, from) }),
        say('emails.paid.next', { amount: amount(toAmount ?? expectedTo, to) }),
      ],
      facts: orderFacts(ctx, transaction, language),
    }
  },
  sent: (ctx, transaction) => (language, values) => {
    const { say, currency } = language
    const { to } = transaction
    return {
      subject: to.currency.kind === 'FIAT' ? say('done.money') : say('done.title', { asset: currency(to.currency) }),
      paragraphs: [say('emails.sent.lead', values)],
      ...receiptPart(ctx, transaction, language),
    }
  },
  refunded: (ctx, transaction) => (language, values) => {
    const { say, amount } = language
    const { received } = receiptOf(ctx, { ...transaction, status: 'refunded' })
    return {
      subject: say('ended.refunded.title'),
      paragraphs: [
        say('emails.refunded.lead', { ...values, amount: amount(received.amount, received.listing) }),
        say('ended.refunded.lead'),
      ],
      ...receiptPart(ctx, transaction, language),
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
function orderFacts(ctx: Ctx, transaction: Transaction, language: Language): Fact[][] {
  const { say, amount } = language
  const { expectedFrom, from, expectedTo, to } = transaction
  return [
    [
      { name: say('summary.pay'), value: amount(expectedFrom, from) },
      {
        name: say('summary.receive'),
        value: amount(expectedTo, to),
        ...(pricePromiseOf(transaction, ctx.clock.now()) === 'fixed' ? {} : { note: say('deadline.atArrival') }),
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

/** The receipt, and its link. */
function receiptPart(
  ctx: Ctx,
  transaction: Transaction,
  language: Language,
): { facts: Fact[][] } & Partial<ReturnType<EmailText>> {
  if (!hasReceipt(transaction)) return { facts: [] }
  const { say, amount, dateTime } = language
  const { number, issuedAt, isRefund, paid, received, address, extraId, hash, explorerUrl } = receiptOf(
    ctx,
    transaction,
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
