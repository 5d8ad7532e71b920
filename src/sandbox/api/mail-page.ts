import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { orderEmailWriter } from '../../exchange/orders/order-emails.ts'
import { type MailboxEntry, readMailbox } from '../../exchange/mail/mailbox.ts'
import { sheetOf, styleSheet } from '../../doors/ui/serve-file.ts'

/** The look of all pages, and e-mails as its cards. */
const sheet = sheetOf(
  styleSheet(`
body{max-width:42rem;margin-inline:auto;padding:1.5rem 1.25rem}
main{display:grid;gap:1rem}
article{padding:1rem 1.25rem;border:1px solid var(--line);border-radius:var(--corner);background:var(--surface)}
pre{margin:.75rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere;font:.875rem/1.5 ui-monospace,monospace}`),
)

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src ${sheet.source}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const shown = 50

/**
 * `GET /sandbox/mail`: the e-mails that the sandbox would have sent, newest first, for anyone who needs a code. Anyone who can
 * reach the page can read every e-mail.
 */
export const mailPage =
  (ctx: Ctx) =>
  (app: FastifyInstance): void => {
    app.get('/sandbox/mail', async (_request, reply) => {
      const emails = await readMailbox(ctx, { limit: shown }, orderEmailWriter(ctx))
      return reply.headers(headers).type('text/html; charset=utf-8').send(page(emails))
    })
  }

const page = (emails: MailboxEntry[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Sandbox mail</title>
<style>${sheet.text}</style>
</head>
<body>
<main>
<h1>Sandbox mail</h1>
<p class="lead">E-mails that customers of this sandbox would have got. None leaves it. The page that asks for a code is one step back in your browser.</p>
<p><a href="/sandbox/mail">Look again</a></p>
${emails.length === 0 ? '<p>No e-mails yet.</p>' : emails.map(article).join('\n')}
</main>
</body>
</html>
`

const article = ({ to, subject, text, at }: MailboxEntry): string => `<article>
<h2>${escape(subject)}</h2>
<p class="hint">to ${escape(to)}, <time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time></p>
<pre>${escape(text)}</pre>
</article>`

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
