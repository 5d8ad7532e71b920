import type { FastifyReply } from 'fastify'

/** A page of a simulated institution: its status, and where its forms may lead back to. */
type Page = { status: number; html: string; returnUrl: string | undefined }

/** Sends a page. A form may lead back to the merchant only (Content-Security-Policy: redirects after a form count). */
export function sendPage(reply: FastifyReply, { status, html, returnUrl }: Page): FastifyReply {
  const merchant = returnUrl === undefined ? '' : ` ${new URL(returnUrl).origin}`
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
