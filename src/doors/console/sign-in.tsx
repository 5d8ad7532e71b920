import type { FastifyInstance, FastifyRequest } from 'fastify'

import { signIn } from '../../exchange/operators/session.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isOurForm } from '../ui/our-form.ts'
import type { Assets } from './assets.ts'
import { begin, type Door, networkOfRequest } from './door.ts'
import { renderPlain } from './layout.tsx'

/** `/console/sign-in`: e-mail address and password, then a code where a second factor is set up. */
export function serveSignIn(scope: FastifyInstance, door: Door): void {
  const { ctx, assets, headers } = door
  const html = 'text/html; charset=utf-8'
  scope.get<{ Querystring: Record<string, unknown> }>('/console/sign-in', (request, reply) =>
    reply
      .headers(headers)
      .type(html)
      .send(signInPage(assets, { to: wantedBy(request.query.to) })),
  )
  scope.post<{ Querystring: Record<string, unknown> }>('/console/sign-in', async (request, reply) => {
    if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const to = wantedBy(request.query.to)
    const typed = typedIn(form, request)
    try {
      const result = await signIn(ctx, { ...typed, network: networkOfRequest(door, request) })
      if (result !== 'code_needed') return await begin(door, reply, result.token, to)
      const page = signInPage(assets, { to, email: typed.email, password: typed.password, asksCode: true })
      return await reply.code(401).headers(headers).type(html).send(page)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const status = error.code === 'RATE_LIMITED' ? 429 : 401
      if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
      ctx.log.warn({ kind: 'sign_in_failed', request_id: request.id }, 'An operator could not sign in.')
      const page = signInPage(assets, { to, email: typed.email, problem: error.message })
      return reply.code(status).headers(headers).type(html).send(page)
    }
  })
}

const typedIn = (form: URLSearchParams, { headers }: Pick<FastifyRequest, 'headers'>) => ({
  email: (form.get('email') ?? '').slice(0, 320),
  password: (form.get('password') ?? '').slice(0, 1_000),
  code: form.get('code') ?? undefined,
  agent: (headers['user-agent'] ?? '').replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200),
})

/** The page of the console that somebody wanted; anything else leads to the first one. */
const wantedBy = (to: unknown): string =>
  typeof to === 'string' && /^\/console(\/[\w./-]*)?(\?[\w=&%.+-]*)?$/.test(to) && !to.startsWith('/console/sign-')
    ? to
    : '/console'

type SignInProps = { to: string; email?: string; password?: string; asksCode?: boolean; problem?: string }

function signInPage(assets: Assets, { to, email = '', password, asksCode = false, problem }: SignInProps): string {
  return renderPlain(
    assets,
    'Sign in',
    <form method="post" action={`/console/sign-in?to=${encodeURIComponent(to)}`}>
      {problem === undefined ? null : (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <div class="field">
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="username" required value={email} />
      </div>
      {asksCode ? (
        <>
          <input type="hidden" name="password" value={password} />
          <div class="field">
            <label for="code">Code from your authenticator app</label>
            <input
              id="code"
              name="code"
              class="code"
              inputmode="numeric"
              autocomplete="one-time-code"
              required
              autofocus
            />
          </div>
        </>
      ) : (
        <div class="field">
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
        </div>
      )}
      <button type="submit" class="button">
        Sign in
      </button>
    </form>,
  )
}
