import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { doOnce, keyOfForm } from '../../exchange/sign-in/once.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isOurForm } from '../ui/our-form.ts'
import type { Assets } from './assets.ts'
import { type Area, deviceCookie } from './cookie.ts'
import { OnceField, onceIn } from './form.tsx'
import { renderMessage, renderPlain } from './plain.tsx'

type Route = { Params: { token: string } }

/** How the invitations of an area are read, and accepted with a password. */
export type InvitationRules = {
  ctx: Ctx
  area: Area
  assets: Assets
  headers: Record<string, string>
  /** A sentence that says who is invited; undefined for a link that does not work. */
  read(token: string): Promise<{ email: string; sentence: string } | undefined>
  /** BAD_REQUEST for a weak password, NOT_FOUND for a link that does not work. */
  accept(ctx: Ctx, token: string, password: string): Promise<unknown>
  /** What a browser of somebody is known by. */
  deviceOf(email: string): string
}

/** `/{area}/invitation/{token}`: somebody who was invited chooses a password, and signs in with it. */
export function serveInvitation(
  scope: FastifyInstance,
  { ctx, area, assets, headers, read, accept, deviceOf }: InvitationRules,
): void {
  const html = 'text/html; charset=utf-8'
  const path = `/${area}/invitation/:token`
  // The token is in the address, which no other site may learn.
  const own = { ...headers, 'referrer-policy': 'no-referrer' }
  scope.get<Route>(path, async ({ params }, reply) => {
    void reply.headers(own).type(html)
    const invited = await read(params.token)
    if (invited) return reply.send(invitationPage(assets, area, invited))
    return reply.code(404).send(renderMessage(assets, area, 404, 'This invitation has been used or has expired.'))
  })
  scope.post<Route>(path, async (request, reply) => {
    const { token } = request.params
    if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    void reply.headers(own).type(html)
    const invited = await read(token)
    try {
      const password = (form.get('password') ?? '').slice(0, 1_000)
      const once = onceIn(form)
      const work = (own: Ctx) => accept(own, token, password).then(() => 'accepted')
      await (once === undefined ? work(ctx) : doOnce(ctx, keyOfForm({ area, session: token, once }), work))
      // The first sign-in, too, is from a browser that strangers' attempts cannot keep out.
      if (invited) void reply.header('set-cookie', deviceCookie(ctx, area, deviceOf(invited.email)))
      return await reply.redirect(`/${area}/sign-in`, 303)
    } catch (error) {
      if (!invited || !(error instanceof Refusal) || error.code !== 'BAD_REQUEST') throw error
      return reply.code(400).send(invitationPage(assets, area, invited, error.message))
    }
  })
}

const invitationPage = (
  assets: Assets,
  area: Area,
  { email, sentence }: { email: string; sentence: string },
  problem?: string,
): string =>
  renderPlain(
    assets,
    area,
    'Choose a password',
    <form method="post">
      {problem === undefined ? null : (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <p>{sentence}</p>
      <OnceField />
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
