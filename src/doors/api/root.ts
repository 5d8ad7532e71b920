import { createHash } from 'node:crypto'

import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:42rem;margin:3rem auto;padding:0 1rem}
code,pre{font:14px/1.5 ui-monospace,monospace}
pre{padding:1rem;overflow-x:auto;border:1px solid #8884;border-radius:.5rem}
td{padding:.2rem 1rem .2rem 0;vertical-align:top}`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** `GET /`: a page for people who find the origin and wonder what it is. `notice` is HTML. */
export function root(app: FastifyInstance, ctx: Pick<Ctx, 'publicUrl'>, notice = ''): void {
  app.get('/', (_request, reply) =>
    reply
      .headers({
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .type('text/html; charset=utf-8')
      .send(page(ctx, notice)),
  )
}

/** The interface's dated changes, newest first: the rows of docs/partner/changelog.md, which a test compares. */
const changes: readonly (readonly [date: string, change: string])[] = [
  ['2026-11-24', '`doc_url` added to errors.'],
  [
    '2026-11-23',
    '`total_cost`, `market_price` and `receipt_url` added to transactions. `POST /v1/estimate` added. ' +
      'Ids have 15 digits, and checkout links carry a random `tid`. Digits ' +
      'beyond a currency’s decimals are cut off, with the warning `AMOUNT_ROUNDED`. Fees are rounded once, ' +
      'as a total. `estimate_breakdown` contains the percentage of every fee; `deposit_address` and ' +
      '`deposit_extra_id` added. Signatures cover the `Idempotency-Key` and are accepted once.',
  ],
  [
    '2026-11-20',
    'Webhooks and feed: `transaction.amounts_changed` also reports a chargeback after the end and ' +
      '`status_details` `payout_unknown` (with `sending`); for B2B, `b2b.transaction.status_changed` ' +
      'reports them with an unchanged status. `transaction.refund_changed` reports a refund that becomes ' +
      '`unknown`. Refunds above the operator’s limit are `pending` until approved.',
  ],
  [
    '2026-09-25',
    'The `ip` query parameter and the `X-Forwarded-For` header are deprecated on `POST /v1/transaction` ' +
      'and `POST /v1/transaction/health`; use `customer.ip`, `customer.ipV4` or `customer.ipV6` in the ' +
      'body instead.',
  ],
  ['2026-09-24', '`POST /v1/transaction/health` added.'],
  ['2026-09-22', 'Calculator documentation moved to v2 with required `partner_id` and `signature` parameters.'],
  [
    '2026-09-21',
    'Error code `PAIR_NOT_AVAILABLE` replaces `BAD_REQUEST` for unexchangeable pairs on `GET ' +
      '/v1/estimate` and `POST /v1/transaction`. Status and message did not change.',
  ],
  [
    '2026-08-17',
    'Documentation reorganized; the documentation URL of the create-transaction operation renamed; ' +
      'sections for market info and payment category renamed.',
  ],
]

/** A row of the page; text between backticks is code. */
const rowOf = ([date, change]: readonly [string, string]): string =>
  `<tr><td>${date}</td><td>${change.replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`

/** The changes as HTML, under the id that the `Link` header of deprecated calls leads to. */
export const changesHtml = `<h2 id="changes">Changes</h2>
<table><tbody>${changes.map(rowOf).join('')}</tbody></table>`

/** The public URL comes from a setting that is checked to be an origin, so it has nothing to escape. */
const page = ({ publicUrl }: Pick<Ctx, 'publicUrl'>, notice: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Cambio</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Cambio</h1>
<p>An exchange between money and coins, for partners who integrate it.${notice === '' ? '' : ` ${notice}`}</p>
<p>The interface is at <code>${publicUrl}/v1</code>:</p>
<pre>curl ${publicUrl}/v1/status
curl ${publicUrl}/v1/currencies
curl ${publicUrl}/v1/market-info/min-max-range/eur_btc
curl '${publicUrl}/v1/estimate?from_amount=100&amp;from_currency=EUR&amp;to_currency=BTC' -H 'x-api-key: &lt;your key&gt;'</pre>
<p><a href="/docs">Documentation</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/v1/status">Status</a> · <a href="/v1/currencies">Currencies</a> · <a href="/v1/market-info/min-max-range/eur_btc">Range of EUR to BTC</a></p>
${changesHtml}
</main>
</body>
</html>
`
