import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { type Receipt, readReceipt, receiptRecord } from '../../exchange/orders/receipt.ts'
import type { Ctx } from '../../exchange/context.ts'
import { costLines, totalCostText } from '../../exchange/pricing/cost-lines.ts'
import { rateText } from '../../exchange/pricing/price-text.ts'
import { type Language, languageOf } from '../../platform/language/language.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ratioFrom } from '../../platform/money/ratio.ts'
import { Row } from '../ui/price.tsx'
import type { Assets } from './assets.ts'
import { formOf } from './account-form.ts'
import { legalFor } from './legal.ts'
import { renderLayout } from './layout.tsx'
import { messagePage } from './message-page.tsx'
import type { Notices } from './notices.ts'
import { zoneIn } from './session-cookie.ts'
import { Account } from './ui/account.tsx'
import { Address } from './ui/address.tsx'
import { capital, memoName } from './ui/memo-name.ts'
import { depositMethodOf, payoutMethodOf } from '../../exchange/transactions/method.ts'

/** What the page of a receipt is made of. */
type Door = { options: { notices: Notices }; assets: Assets; headers: Record<string, string> }

type Route = { Params: { token: string; locale?: string }; Querystring: { format?: unknown } }

/**
 * `/receipt/{token}`: the receipt of a transaction that is finished or refunded, to print or save; `?format=json` gives the same as
 * data. Anyone who has the link sees it: it asks search engines not to list it, and its own links don't reveal its address.
 */
export function serveReceipts(app: FastifyInstance, ctx: Ctx, { options: { notices }, assets, headers }: Door): void {
  const closed = { ...headers, 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'no-referrer' }
  const answer = async (request: FastifyRequest<Route>, reply: FastifyReply): Promise<FastifyReply> => {
    const receipt = await readReceipt(ctx, request.params.token)
    void reply.headers(closed)
    if (request.query.format === 'json') {
      if (receipt) return reply.send(receiptRecord(receipt))
      const { code, message } = new Refusal('NOT_FOUND', 'Unknown receipt.')
      return reply.code(404).send({ statusCode: 404, code, message, errors: [], request_id: request.id })
    }
    const language = languageFor(request, receipt)
    const page = receipt ? receiptPage(receipt, language) : messagePage('missing', language)
    const html = renderLayout({
      title: page.title,
      language,
      assets,
      notices,
      legal: legalFor(ctx, language),
      children: [page.body],
    })
    return reply
      .code(receipt ? 200 : 404)
      .type('text/html; charset=utf-8')
      .send(html)
  }
  for (const path of ['/receipt/:token', '/:locale(^[a-z]{2}$)/receipt/:token']) app.get<Route>(path, answer)
}

function languageFor({ params, headers }: FastifyRequest<Route>, receipt: Receipt | undefined): Language {
  const { personal, terms } = receipt?.transaction ?? {}
  const language = languageOf(params.locale, personal?.locale, terms?.locale, headers['accept-language'])
  return language.inZone(zoneIn(headers.cookie) ?? personal?.timeZone)
}

function receiptPage(receipt: Receipt, language: Language) {
  const { transaction, number, issuedAt, paid, received, isRefund, cost } = receipt
  const { say, amount, dateTime } = language
  const { quote, from, to, publicId } = transaction
  const title = say(isRefund ? 'receipt.refundTitle' : 'receipt.title')
  const body = (
    <main class="receipt">
      <h1>{title}</h1>
      <dl>
        <Row name={say('receipt.number')} value={number} />
        <Row name={say('receipt.date')} value={dateTime(issuedAt)} />
        <Row name={say('receipt.order')} value={String(publicId)} />
      </dl>
      <dl>
        <Row name={say('receipt.paid')} value={amount(paid.amount, paid.listing)} />
        <Row
          name={say(isRefund ? 'receipt.returned' : 'receipt.received')}
          value={amount(received.amount, received.listing)}
        />
        {isRefund ? null : (
          <Row
            name={say('summary.rate')}
            value={rateText({ price: ratioFrom(quote.price), side: quote.side, from, to }, language)}
          />
        )}
      </dl>
      <h2>
        {say('summary.totalCost')} {totalCostText(transaction, cost, language)}
      </h2>
      <dl>
        {costLines(transaction, cost, language).map(({ name, note, value }) => (
          <Row key={name} name={name} {...(note === undefined ? {} : { note })} value={value} />
        ))}
      </dl>
      <Destination receipt={receipt} language={language} />
      {transaction.isErased ? <p class="hint">{say('receipt.erased')}</p> : null}
      <p class="printing">
        <button type="button" class="button second" data-print hidden>
          {say('receipt.print')}
        </button>
      </p>
    </main>
  )
  return { title: `${title} ${number}`, body }
}

/** Where the money went, and what proves it. */
function Destination({ receipt, language }: { receipt: Receipt; language: Language }) {
  const { transaction, address, extraId, holder, hash, explorerUrl, received, isRefund } = receipt
  const { say } = language
  const chain = received.listing.network.chain
  const isBack = isRefund && address === null && !transaction.isErased
  if (address === null && hash === null && !isBack) return null
  return (
    <dl class="facts">
      {isBack ? (
        <>
          <dt>{say('receipt.sentTo')}</dt>
          <dd>{say('receipt.wayBack')}</dd>
        </>
      ) : null}
      {address === null ? null : (
        <>
          <dt>{say('receipt.sentTo')}</dt>
          <dd>
            {chain ? (
              <Address text={address} />
            ) : (
              <Account
                form={formOf((isRefund ? depositMethodOf : payoutMethodOf)(transaction).category)}
                account={address}
                bic={extraId ?? ''}
                holder={holder}
                language={language}
              />
            )}
            {chain && extraId ? (
              <p>
                {capital(memoName(chain.memo, language))} <strong>{extraId}</strong>
              </p>
            ) : null}
          </dd>
        </>
      )}
      {hash === null ? null : (
        <>
          <dt>{say(chain ? 'done.hash' : 'done.bankReference')}</dt>
          <dd>
            <code dir="ltr" class="address">
              {hash}
            </code>
            {explorerUrl === null ? null : (
              <a href={explorerUrl} rel="noreferrer">
                {say('done.explorer', { site: new URL(explorerUrl).host })}
              </a>
            )}
          </dd>
        </>
      )}
    </dl>
  )
}
