import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { sendPage } from '../send-page.ts'
import { press, type PageLink, readPageLink, stateOf } from './check.ts'
import { closedCheckPage, documentPage, reviewPage, selfiePage, unknownCheckPage } from './check-page.tsx'
import type { IdentityContext } from './context.ts'
import type { CheckState } from './queries.ts'

/**
 * The provider's pages, `/identity` with a link that it has signed, for a listener that reads forms already: the sandbox
 * processor's. They work without JavaScript; a form sent twice counts once.
 */
export function serveCheckPages(app: FastifyInstance, identity: IdentityContext): void {
  app.get('/identity', (request, reply) =>
    withLink(identity, request, reply, async (link) =>
      show(reply, 200, await stateOf(identity, link.applicantId), link),
    ),
  )
  app.post('/identity', (request, reply) =>
    withLink(identity, request, reply, async (link) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const state = await press(identity, link.applicantId, form.get('do') ?? '')
      // The document is half of it: everything else leads back.
      return reply.redirect(state === 'document' ? request.url : link.returnUrl, 303)
    }),
  )
}

async function withLink(
  identity: IdentityContext,
  { url }: FastifyRequest,
  reply: FastifyReply,
  work: (link: PageLink) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const at = url.indexOf('?')
  const link = at === -1 ? undefined : readPageLink(identity, new URLSearchParams(url.slice(at)))
  return link ? work(link) : show(reply, 404, undefined)
}

function pageFor(state: CheckState | undefined, { returnUrl }: PageLink): string {
  const merchant = { name: new URL(returnUrl).host, returnUrl }
  switch (state) {
    case 'open':
    case 'needs_info':
      return documentPage(merchant, state === 'needs_info')
    case 'document':
      return selfiePage(merchant)
    case 'in_review':
      return reviewPage(merchant)
    case 'approved':
    case 'rejected':
      return closedCheckPage(merchant)
    case undefined:
      return unknownCheckPage()
  }
}

const show = (reply: FastifyReply, status: number, state: CheckState | undefined, link?: PageLink): FastifyReply =>
  sendPage(reply, {
    status,
    html: link ? pageFor(state, link) : unknownCheckPage(),
    returnUrl: link?.returnUrl,
  })
