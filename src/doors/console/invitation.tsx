import type { FastifyInstance } from 'fastify'

import { acceptInvitation, type Invitation, readInvitation } from '../../exchange/operators/invitation.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isOurForm } from '../ui/our-form.ts'
import type { Assets } from './assets.ts'
import type { Door } from './door.ts'
import { renderMessage, renderPlain } from './layout.tsx'

type Route = { Params: { token: string } }

/** `/console/invitation/{token}`: somebody who was invited chooses a password, and signs in with it. */
export function serveInvitation(scope: FastifyInstance, { ctx, assets, headers }: Door): void {
  const html = 'text/html; charset=utf-8'
  const path = '/console/invitation/:token'
  scope.get<Route>(path, async ({ params }, reply) => {
    void reply.headers({ ...headers, 'referrer-policy': 'no-referrer' }).type(html)
    const invited = await readInvitation(ctx, params.token)
    if (invited) return reply.send(invitationPage(assets, invited))
    return reply.code(404).send(renderMessage(assets, 404, 'This invitation has been used or has expired.'))
  })
  scope.post<Route>(path, async (request, reply) => {
    const { token } = request.params
    if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    void reply.headers({ ...headers, 'referrer-policy': 'no-referrer' }).type(html)
    const invited = await readInvitation(ctx, token)
    try {
      await acceptInvitation(ctx, token, (form.get('password') ?? '').slice(0, 1_000))
      return await reply.redirect('/console/sign-in', 303)
    } catch (error) {
      if (!invited || !(error instanceof Refusal) || error.code !== 'BAD_REQUEST') throw error
      return reply.code(400).send(invitationPage(assets, invited, error.message))
    }
  })
}

const invitationPage = (assets: Assets, { email, role }: Invitation, problem?: string): string =>
  renderPlain(
    assets,
    'Choose a password',
    <form method="post">
      {problem === undefined ? null : (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <p>
        You are invited to the console as {email}, with the role “{role}”.
      </p>
      <input type="hidden" name="email" autocomplete="username" value={email} />
      <div class="field">
        <label for="password">Password</label>
        <p class="hint" id="password-hint">
          12 characters or more.
        </p>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          aria-describedby="password-hint"
          required
        />
      </div>
      <button type="submit" class="button">
        Save
      </button>
    </form>,
  )
