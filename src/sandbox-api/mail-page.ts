import { createHash } from 'node:crypto'

import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../context.ts'
import { type MailboxEntry, readMailbox } from '../mail/mailbox.ts'

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:42rem;margin:2rem auto;padding:0 1rem}
article{margin:1rem 0;padding:1rem;border:1px solid #8886;border-radius:.5rem}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:0}
p{margin:.25rem 0}.small{font-size:.875rem}
pre{margin:.75rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 ui-monospace,monospace}`

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const shown = 50

/**
 * `GET /sandbox/mail`: the letters that the sandbox would have sent, newest first, for a person who needs a code. Only
 * the sandbox has it: whoever reaches the page reads every letter.
 */
export const mailPage =
  (ctx: Ctx) =>
  (app: FastifyInstance): void => {
    app.get('/sandbox/mail', async (_request, reply) => {
      const letters = await readMailbox(ctx, { limit: shown })
      return reply.headers(headers).type('text/html; charset=utf-8').send(page(letters))
    })
  }

const page = (letters: MailboxEntry[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Sandbox mail</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Sandbox mail</h1>
<p class="small">Letters that customers of this sandbox would have got. No letter leaves it. <a href="/sandbox/mail">Look again</a></p>
${letters.length === 0 ? '<p>No letters yet.</p>' : letters.map(article).join('\n')}
</main>
</body>
</html>
`

const article = ({ to, subject, text, at }: MailboxEntry): string => `<article>
<h2>${escape(subject)}</h2>
<p class="small">to ${escape(to)}, <time datetime="${at.toISOString()}">${at.toISOString().slice(0, 16).replace('T', ' ')} UTC</time></p>
<pre>${escape(text)}</pre>
</article>`

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
