import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

import { assetById } from '../../catalog/asset.ts'
import type { Log } from '../../lib/log.ts'
import { projectRoot } from '../../lib/root.ts'
import { formatAmount } from '../../money/amount.ts'
import type { DepositOrder } from '../rail.ts'
import { answerChallenge, payByCard, paymentState, type Processor, readPayLink } from './card.ts'
import { problemsOfCard } from './card-form.ts'
import { type Bill, cardPage, challengePage, closedPage, faultPage, stylePath, unknownPage } from './processor-page.tsx'

const largestForm = 8_192

/**
 * The sandbox processor's own pages, for a listener and an origin of their own: `/pay` with a link that its rail has signed.
 * They work without JavaScript; a form sent twice pays once. A card number is shown, stored and logged nowhere.
 */
export function buildProcessor(processor: Processor, log: Log): FastifyInstance {
  const app = fastify({ logger: false, bodyLimit: largestForm })
  const style = readFileSync(join(projectRoot, 'src/rails/sandbox/processor.css'), 'utf8')

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, new URLSearchParams(String(text))),
  )
  app.setErrorHandler((error, _request, reply) => {
    if (isClientError(error)) return show(reply, 400, unknownPage())
    log.error({ err: error }, 'A page of the sandbox processor failed.')
    return show(reply, 500, faultPage())
  })
  app.setNotFoundHandler((_request, reply) => show(reply, 404, unknownPage()))

  app.get(stylePath, (_request, reply) => reply.type('text/css; charset=utf-8').send(style))
  app.get('/pay', (request, reply) =>
    withOrder(processor, request, reply, (order) => showOrder(processor, reply, order)),
  )
  app.post('/pay', (request, reply) =>
    withOrder(processor, request, reply, (order) => takeForm(processor, request, reply, order)),
  )
  return app
}

const isClientError = (error: unknown): boolean =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500

async function withOrder(
  processor: Processor,
  { url }: FastifyRequest,
  reply: FastifyReply,
  work: (order: DepositOrder) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const at = url.indexOf('?')
  const order = at === -1 ? undefined : readPayLink(processor, new URLSearchParams(url.slice(at)))
  return order ? work(order) : show(reply, 404, unknownPage())
}

async function showOrder(processor: Processor, reply: FastifyReply, order: DepositOrder): Promise<FastifyReply> {
  const state = await paymentState(processor, order.reference)
  switch (state) {
    case 'open':
    case 'declined':
      return show(reply, 200, cardPage(billOf(order), {}, state === 'declined'), order)
    case 'challenge':
      return show(reply, 200, challengePage(billOf(order)), order)
    case 'captured':
    case 'charged_back':
    case 'voided':
      return show(reply, 200, closedPage(billOf(order), state === 'captured'), order)
  }
}

async function takeForm(
  processor: Processor,
  request: FastifyRequest,
  reply: FastifyReply,
  order: DepositOrder,
): Promise<FastifyReply> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const state = await paymentState(processor, order.reference)
  const wanted = form.get('do') ?? 'pay'
  if (state === 'challenge' && (wanted === 'pass' || wanted === 'fail')) {
    return goOn(reply, request, order, await answerChallenge(processor, order, wanted === 'pass'))
  }
  if ((state !== 'open' && state !== 'declined') || wanted !== 'pay') return goOn(reply, request, order, state)

  const card = { number: form.get('number') ?? '', expiry: form.get('expiry') ?? '', cvc: form.get('cvc') ?? '' }
  const problems = problemsOfCard(card, processor.clock.realNow())
  if (Object.keys(problems).length > 0) return show(reply, 422, cardPage(billOf(order), problems, false), order)
  return goOn(reply, request, order, await payByCard(processor, order, card))
}

/** What is paid leads back to the merchant; everything else shows where it stands, on a page that may be loaded again. */
const goOn = (reply: FastifyReply, { url }: FastifyRequest, order: DepositOrder, state: string): FastifyReply =>
  state === 'captured' ? leave(reply, order) : reply.redirect(url, 303)

const leave = (reply: FastifyReply, { returnUrl }: DepositOrder): FastifyReply => reply.redirect(returnUrl, 303)

function billOf({ asset: id, amount, reference, returnUrl }: DepositOrder): Bill {
  const asset = assetById(id)
  if (!asset) throw new Error('The processor does not know this currency.')
  const inFull = new Intl.NumberFormat('en', { minimumFractionDigits: asset.decimals })
  const text = inFull.format(formatAmount(amount, asset) as `${number}`)
  return { merchant: new URL(returnUrl).host, amount: `${text} ${asset.ticker}`, reference, returnUrl }
}

/** A form may lead back to the merchant, and nowhere else (Content-Security-Policy: redirects after a form count). */
function show(reply: FastifyReply, status: number, html: string, order?: DepositOrder): FastifyReply {
  const merchant = order ? ` ${new URL(order.returnUrl).origin}` : ''
  const policy = `default-src 'none'; style-src 'self'; img-src data:; form-action 'self'${merchant}; base-uri 'none'; frame-ancestors 'none'`
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .type('text/html; charset=utf-8')
    .send(html)
}
