import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isOurForm } from '../ui/our-form.ts'
import type { Assets } from './assets.ts'
import { type Area, cookieIn, pendingCookie, signedInCookies } from './cookie.ts'
import { renderPlain } from './plain.tsx'

/** What somebody typed, and the browser's cookies; see `exchange/operators/sign-in.ts`. */
type Typed = {
  email: string
  password: string
  code: string | undefined
  pending: string | undefined
  device: string | undefined
  network: string
  agent: string
}

/** Signs somebody in, or asks for a code. Refuses with INVALID_TOKEN and RATE_LIMITED. */
export type SignInForm = (typed: Typed) => Promise<{ token: string; device: string } | { pending: string }>

type Tools = {
  ctx: Ctx
  area: Area
  assets: Assets
  headers: Record<string, string>
  signIn: SignInForm
  networkOf(raw: FastifyRequest['raw']): string
}

/** `/{area}/sign-in`: e-mail address and password, then a code where a second factor is set up. */
export function serveSignIn(scope: FastifyInstance, { ctx, area, assets, headers, signIn, networkOf }: Tools): void {
  const html = 'text/html; charset=utf-8'
  const path = `/${area}/sign-in`
  scope.get<{ Querystring: Record<string, unknown> }>(path, (request, reply) =>
    reply
      .headers(headers)
      .type(html)
      .send(signInPage(assets, { area, to: wantedBy(area, request.query.to) })),
  )
  scope.post<{ Querystring: Record<string, unknown> }>(path, async (request, reply) => {
    if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const to = wantedBy(area, request.query.to)
    const typed = { ...typedIn(ctx, area, form, request), network: networkOf(request.raw) }
    void reply.headers(headers)
    try {
      const result = await signIn(typed)
      if ('token' in result) {
        return await reply.header('set-cookie', signedInCookies(ctx, area, result)).redirect(to, 303)
      }
      void reply.header('set-cookie', pendingCookie(ctx, area, result.pending))
      return await reply
        .code(401)
        .type(html)
        .send(signInPage(assets, { area, to, asksCode: true }))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const status = error.code === 'RATE_LIMITED' ? 429 : 401
      if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
      request.securityEvent = status === 429 ? 'code_lockout' : 'sign_in_failed'
      const asksCode = typed.password === '' && typed.pending !== undefined
      const page = signInPage(assets, { area, to, email: typed.email, asksCode, problem: error.message })
      return reply.code(status).type(html).send(page)
    }
  })
}

const typedIn = (ctx: Ctx, area: Area, form: URLSearchParams, { headers }: Pick<FastifyRequest, 'headers'>) => ({
  email: (form.get('email') ?? '').slice(0, 320),
  password: (form.get('password') ?? '').slice(0, 1_000),
  code: form.get('code')?.slice(0, 100),
  pending: cookieIn(ctx, headers.cookie, `${area}-pending`),
  device: cookieIn(ctx, headers.cookie, `${area}-device`),
  agent: (headers['user-agent'] ?? '').replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200),
})

/** The page of the area that somebody wanted; anything else leads to the first one. */
const wantedBy = (area: Area, to: unknown): string =>
  typeof to === 'string' &&
  new RegExp(`^/${area}(/[\\w./-]*)?(\\?[\\w=&%.+-]*)?$`).test(to) &&
  !to.startsWith(`/${area}/sign-`)
    ? to
    : `/${area}`

type SignInProps = { area: Area; to: string; email?: string; asksCode?: boolean; problem?: string }

function signInPage(assets: Assets, { area, to, email = '', asksCode = false, problem }: SignInProps): string {
  const action = `/${area}/sign-in?to=${encodeURIComponent(to)}`
  return renderPlain(
    assets,
    area,
    'Sign in',
    <form method="post" action={action}>
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
          <a href={action}>Sign in as somebody else</a>
        </p>
      ) : null}
    </form>,
  )
}
