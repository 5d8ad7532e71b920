import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { signIn } from '../../exchange/operators/sign-in.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isOurForm } from '../ui/our-form.ts'
import type { Assets } from './assets.ts'
import { cookieIn, pendingCookie, signedInCookies } from './cookie.ts'
import { type Door, networkOfRequest } from './door.ts'
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
    const typed = { ...typedIn(ctx, form, request), network: networkOfRequest(door, request) }
    void reply.headers(headers)
    try {
      const result = await signIn(ctx, typed)
      if ('token' in result) return await reply.header('set-cookie', signedInCookies(ctx, result)).redirect(to, 303)
      void reply.header('set-cookie', pendingCookie(ctx, result.pending))
      return await reply
        .code(401)
        .type(html)
        .send(signInPage(assets, { to, asksCode: true }))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const status = error.code === 'RATE_LIMITED' ? 429 : 401
      if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
      ctx.log.warn({ kind: 'sign_in_failed', request_id: request.id }, 'An operator could not sign in.')
      const asksCode = typed.password === '' && typed.pending !== undefined
      const page = signInPage(assets, { to, email: typed.email, asksCode, problem: error.message })
      return reply.code(status).type(html).send(page)
    }
  })
}

const typedIn = (ctx: Ctx, form: URLSearchParams, { headers }: Pick<FastifyRequest, 'headers'>) => ({
  email: (form.get('email') ?? '').slice(0, 320),
  password: (form.get('password') ?? '').slice(0, 1_000),
  code: form.get('code')?.slice(0, 100),
  pending: cookieIn(ctx, headers.cookie, 'console-pending'),
  device: cookieIn(ctx, headers.cookie, 'console-device'),
  agent: (headers['user-agent'] ?? '').replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200),
})

/** The page of the console that somebody wanted; anything else leads to the first one. */
const wantedBy = (to: unknown): string =>
  typeof to === 'string' && /^\/console(\/[\w./-]*)?(\?[\w=&%.+-]*)?$/.test(to) && !to.startsWith('/console/sign-')
    ? to
    : '/console'

type SignInProps = { to: string; email?: string; asksCode?: boolean; problem?: string }

function signInPage(assets: Assets, { to, email = '', asksCode = false, problem }: SignInProps): string {
  return renderPlain(
    assets,
    'Sign in',
    <form method="post" action={`/console/sign-in?to=${encodeURIComponent(to)}`}>
      {problem === undefined ? null : (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {asksCode ? (
        <div class="field">
          <label for="code">Code from your authenticator app</label>
          <p class="hint" id="code-hint">
            Without the app, enter one of your recovery codes.
          </p>
          <input
            id="code"
            name="code"
            class="code"
            autocomplete="one-time-code"
            aria-describedby="code-hint"
            required
            autofocus
          />
        </div>
      ) : (
        <>
          <div class="field">
            <label for="email">E-mail address</label>
            <input id="email" name="email" type="email" autocomplete="username" required value={email} />
          </div>
          <div class="field">
            <label for="password">Password</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required />
          </div>
        </>
      )}
      <button type="submit" class="button">
        Sign in
      </button>
      {asksCode ? (
        <p>
          <a href={`/console/sign-in?to=${encodeURIComponent(to)}`}>Sign in as somebody else</a>
        </p>
      ) : null}
    </form>,
  )
}
