import { createHash } from 'node:crypto'

import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../context.ts'

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:42rem;margin:3rem auto;padding:0 1rem}
code,pre{font:14px/1.5 ui-monospace,monospace}
pre{padding:1rem;overflow-x:auto;border:1px solid #8884;border-radius:.5rem}
td{padding:.2rem 1rem .2rem 0;vertical-align:top}`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** `GET /`: a page for whoever finds the origin and wonders what it is. */
export function root(app: FastifyInstance, ctx: Pick<Ctx, 'config' | 'publicUrl'>): void {
  app.get('/', (_request, reply) =>
    reply
      .headers({
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .type('text/html; charset=utf-8')
      .send(page(ctx)),
  )
}

const changes: readonly (readonly [date: string, change: string])[] = [
  [
    '2026-09-25',
    'The <code>ip</code> query parameter and the <code>X-Forwarded-For</code> header are deprecated on ' +
      '<code>POST /v1/transaction</code>; <code>customer.ip</code>, <code>customer.ipV4</code> or <code>customer.ipV6</code> in the body replace them.',
  ],
  [
    '2026-09-21',
    '<code>PAIR_NOT_AVAILABLE</code> replaces <code>BAD_REQUEST</code> for pairs that cannot be exchanged.',
  ],
]

/** The public URL comes from a setting that is checked to be an origin, so it has nothing to escape. */
const page = ({ config, publicUrl }: Pick<Ctx, 'config' | 'publicUrl'>): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Cambio</title>
<style>${style}</style>
<h1>Cambio</h1>
<p>An exchange between money and coins, for partners who integrate it${config.mode === 'live' ? '' : '. This is a <strong>sandbox</strong>: nothing here is real money'}.</p>
<p>The interface is at <code>${publicUrl}/v1</code>:</p>
<pre>curl ${publicUrl}/v1/status
curl ${publicUrl}/v1/currencies
curl ${publicUrl}/v1/market-info/min-max-range/eur_btc
curl '${publicUrl}/v1/estimate?from_amount=100&amp;from_currency=EUR&amp;to_currency=BTC' -H 'x-api-key: &lt;your key&gt;'</pre>
<p><a href="/v1/status">Status</a> · <a href="/v1/currencies">Currencies</a> · <a href="/v1/market-info/min-max-range/eur_btc">Range of EUR to BTC</a></p>
<h2 id="changes">Changes</h2>
<table>${changes.map(([date, change]) => `<tr><td>${date}<td>${change}`).join('')}</table>
</html>
`
