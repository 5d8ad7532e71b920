import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { assetById } from '../../reference/catalog/asset.ts'
import { findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import { readForms } from '../../doors/ui/read-forms.ts'
import type { Log } from '../../platform/lib/log.ts'
import { projectRoot } from '../../platform/lib/root.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { DepositOrder } from '../../rails/rail.ts'
import { sendPage } from '../send-page.ts'
import type { World } from '../world.ts'
import { fingerprintOf, mismatchOf, outcomeOfCard, problemsOfCard } from './card-form.ts'
import { readPayLink } from './link.ts'
import { attempt, paymentState } from './page.ts'
import {
  bankPage,
  type Bill,
  cardPage,
  challengePage,
  closedPage,
  faultPage,
  stylePath,
  testBanks,
  unknownPage,
  walletPage,
} from './processor-page.tsx'

const largestForm = 8_192

/**
 * The pages where customers pay, for a listener and an origin of their own: `/pay` with a link that their rail has signed. They
 * are a card processor's, with a form for cards and buttons for wallets, or a bank's. They work without JavaScript; a form sent twice
 * pays once. A card number is shown, stored and logged nowhere. The HTTP framework is loaded here only, so that commands start fast.
 */
export async function buildProcessor(world: World, log: Log): Promise<FastifyInstance> {
  const { fastify } = await import('fastify')
  const app = fastify({ logger: false })
  const style = readFileSync(join(projectRoot, 'src/sandbox/processor/processor.css'), 'utf8')

  readForms(app, largestForm)
  app.setErrorHandler((error, _request, reply) => {
    if (isClientError(error)) return show(reply, 400, unknownPage())
    log.error({ err: error }, 'A page of the sandbox processor failed.')
    return show(reply, 500, faultPage())
  })
  app.setNotFoundHandler((_request, reply) => show(reply, 404, unknownPage()))

  app.get(stylePath, (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
  app.get('/pay', (request, reply) => withOrder(world, request, reply, (order) => showOrder(world, reply, order)))
  app.post('/pay', (request, reply) =>
    withOrder(world, request, reply, (order) => takeForm(world, request, reply, order)),
  )
  return app
}

const isClientError = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500

async function withOrder(
  world: World,
  { url }: FastifyRequest,
  reply: FastifyReply,
  work: (order: DepositOrder) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const at = url.indexOf('?')
  const order = at === -1 ? undefined : readPayLink(world, new URLSearchParams(url.slice(at)))
  return order ? work(order) : show(reply, 404, unknownPage())
}

async function showOrder(world: World, reply: FastifyReply, order: DepositOrder): Promise<FastifyReply> {
  const state = await paymentState(world, order.reference)
  switch (state) {
    case 'open':
    case 'declined':
      return show(reply, 200, payPage(order, state === 'declined'), order)
    case 'challenge':
      return show(reply, 200, challengePage(billOf(order)), order)
    case 'captured':
    case 'charged_back':
    case 'voided':
      return show(reply, 200, closedPage(billOf(order), state === 'captured'), order)
  }
}

/** How customers pay in a category: with a card, at their bank, or with a wallet (all wallets look alike). */
const kindOf = ({ category }: DepositOrder): 'card' | 'bank' | 'wallet' => {
  if (category === 'VISA_MC') return 'card'
  return category === 'OPEN_BANKING' || category === 'PSE' ? 'bank' : 'wallet'
}

function payPage(order: DepositOrder, isDeclined: boolean): string {
  switch (kindOf(order)) {
    case 'card':
      return cardPage(billOf(order), {}, isDeclined)
    case 'bank':
      return bankPage(billOf(order), { isDeclined, isUnchosen: false })
    case 'wallet':
      return walletPage(billOf(order), findPaymentCategory(order.category)?.name ?? order.category, isDeclined)
  }
}

async function takeForm(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  order: DepositOrder,
): Promise<FastifyReply> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const state = await paymentState(world, order.reference)
  const wanted = form.get('do') ?? 'pay'
  if (state === 'challenge' && (wanted === 'pass' || wanted === 'fail')) {
    return answerAttempt(
      reply,
      request,
      order,
      await attempt(world, order, wanted === 'pass' ? 'captured' : 'declined'),
    )
  }
  if (state !== 'open' && state !== 'declined') return answerAttempt(reply, request, order, state)
  if (wanted === 'decline' && kindOf(order) !== 'card') {
    return answerAttempt(reply, request, order, await attempt(world, order, 'declined'))
  }
  if (wanted !== 'pay') return answerAttempt(reply, request, order, state)
  return kindOf(order) === 'card'
    ? takeCard(world, request, reply, { order, form })
    : takeApproval(world, request, reply, { order, form })
}

type Filled = { order: DepositOrder; form: URLSearchParams }

async function takeCard(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { order, form }: Filled,
): Promise<FastifyReply> {
  const card = { number: form.get('number') ?? '', expiry: form.get('expiry') ?? '', cvc: form.get('cvc') ?? '' }
  const holder = form.get('holder') ?? ''
  const problems = problemsOfCard(card, world.clock.realNow())
  const outcome = outcomeOfCard(card.number)
  if (Object.keys(problems).length > 0 || !outcome) {
    return show(reply, 422, cardPage(billOf(order), problems, false), order)
  }
  const known = { fingerprint: fingerprintOf({ ...card, holder }), mismatch: mismatchOf(card.number) }
  return answerAttempt(reply, request, order, await attempt(world, order, outcome, known))
}

/** A wallet's customer is known by the device; a bank's has to say which bank it is. */
async function takeApproval(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { order, form }: Filled,
): Promise<FastifyReply> {
  if (kindOf(order) === 'bank' && !testBanks.includes(form.get('bank') ?? '')) {
    return show(reply, 422, bankPage(billOf(order), { isDeclined: false, isUnchosen: true }), order)
  }
  return answerAttempt(reply, request, order, await attempt(world, order, 'captured'))
}

/** What is paid leads back to the merchant; everything else shows its state, on a page that may be loaded again. */
const answerAttempt = (
  reply: FastifyReply,
  { url }: FastifyRequest,
  order: DepositOrder,
  state: string,
): FastifyReply => (state === 'captured' ? leave(reply, order) : reply.redirect(url, 303))

const leave = (reply: FastifyReply, { returnUrl }: DepositOrder): FastifyReply => reply.redirect(returnUrl, 303)

function billOf({ asset: id, amount, reference, returnUrl }: DepositOrder): Bill {
  const asset = assetById(id)
  if (!asset) throw new Error('The processor does not know this currency.')
  const inFull = new Intl.NumberFormat('en', { minimumFractionDigits: asset.decimals })
  const text = inFull.format(formatAmount(amount, asset) as `${number}`)
  return { merchant: new URL(returnUrl).host, amount: `${text} ${asset.ticker}`, reference, returnUrl }
}

const show = (reply: FastifyReply, status: number, html: string, order?: DepositOrder): FastifyReply =>
  sendPage(reply, { status, html, returnUrl: order?.returnUrl })
