import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { challengeHash, signInChallenge } from '../../exchange/sign-in/challenge.ts'
import { doOnce, keyOfForm } from '../../exchange/sign-in/once.ts'
import type { PasskeySignIn } from '../../exchange/sign-in/passkey.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isOurForm } from '../ui/our-form.ts'
import type { Assets } from './assets.ts'
import { type Area, cookieIn, pendingCookie, signedInCookies } from './cookie.ts'
import { OnceField, onceIn } from './form.tsx'
import { PasskeyField, signing } from './passkey.tsx'
import { renderPlain } from './plain.tsx'
import { keepTyped } from './typed.tsx'

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
export type SignInForm = (ctx: Ctx, typed: Typed) => Promise<{ token: string; device: string } | { pending: string }>

/** Signs somebody in with a passkey instead of all that. */
export type PasskeySignInForm = (ctx: Ctx, given: PasskeySignIn) => Promise<{ token: string; device: string }>

type Tools = {
  ctx: Ctx
  area: Area
  assets: Assets
  headers: Record<string, string>
  signIn: SignInForm
  passkeySignIn: PasskeySignInForm
  networkOf(raw: FastifyRequest['raw']): string
}

/**
 * Does what a form for signing in says, once: it is used up in the block that begins the session. A second use gives `used`: the browser has
 * the first one's cookie. A double click gets the first one's answer, which the browser would otherwise never see: what was typed belongs to
 * the form's name, so that only who typed the same does. A program may leave the token out; no browser does.
 */
export async function signInOnce<Result>(
  { ctx, area }: Pick<Tools, 'ctx' | 'area'>,
  form: URLSearchParams,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result | 'used'> {
  const once = onceIn(form)
  if (once === undefined) return work(ctx)
  const cameAt = performance.now()
  const typed = ['email', 'password', 'code', 'passkey'].map((name) => form.get(name))
  const key = keyOfForm({ area, session: JSON.stringify(['sign-in', ...typed]), once })
  return (await doOnce<Result | 'used'>(ctx, key, work, { kept: () => 'used', cameAt })) ?? 'used'
}

/** `/{area}/sign-in`: e-mail address and password, then a code where a second factor is set up. */
export function serveSignIn(scope: FastifyInstance, tools: Tools): void {
  const { ctx, area, headers, signIn, networkOf } = tools
  const signInPage = (props: Omit<SignInProps, 'area'>): string => renderSignIn(tools, { ...props, area })
  const html = 'text/html; charset=utf-8'
  const path = `/${area}/sign-in`
  scope.get<{ Querystring: Record<string, unknown> }>(path, (request, reply) =>
    reply
      .headers(headers)
      .type(html)
      .send(signInPage({ to: wantedBy(area, request.query.to) })),
  )
  servePasskey(scope, tools)
  scope.post<{ Querystring: Record<string, unknown> }>(path, async (request, reply) => {
    if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const to = wantedBy(area, request.query.to)
    const typed = { ...typedIn(ctx, area, form, request), network: networkOf(request.raw) }
    const kept = form.get('kept') ?? undefined
    void reply.headers(headers)
    try {
      const result = await signInOnce(tools, form, (own) => signIn(own, typed))
      if (result === 'used') return await reply.redirect(to, 303)
      if ('token' in result) {
        const cookies = [...signedInCookies(ctx, area, result), ...(await keepTyped(ctx, area, kept ?? ''))]
        return await reply.header('set-cookie', cookies).redirect(to, 303)
      }
      void reply.header('set-cookie', pendingCookie(ctx, area, result.pending))
      return await reply
        .code(401)
        .type(html)
        .send(signInPage({ to, kept, asksCode: true }))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const status = error.code === 'RATE_LIMITED' ? 429 : 401
      if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', error.retryAfterSeconds)
      request.securityEvent = status === 429 ? 'code_lockout' : 'sign_in_failed'
      const asksCode = typed.password === '' && typed.pending !== undefined
      const page = signInPage({ to, kept, email: typed.email, asksCode, problem: error.message })
      return reply.code(status).type(html).send(page)
    }
  })
}

function servePasskey(scope: FastifyInstance, tools: Tools): void {
  const { ctx, area, headers, passkeySignIn, networkOf } = tools
  scope.post<{ Querystring: Record<string, unknown> }>(`/${area}/passkeys/sign-in`, async (request, reply) => {
    if (!isOurForm(ctx, request)) throw new Refusal('FORBIDDEN', 'This form was not sent from this page.')
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const to = wantedBy(area, request.query.to)
    const [challenge, made] = [form.get('challenge') ?? '', form.get('passkey') ?? '']
    const kept = form.get('kept') ?? undefined
    const { agent } = typedIn(ctx, area, form, request)
    void reply.headers(headers)
    try {
      const given = { challenge, made, network: networkOf(request.raw), agent }
      const result = await signInOnce(tools, form, (own) => passkeySignIn(own, given))
      if (result === 'used') return await reply.redirect(to, 303)
      const cookies = [...signedInCookies(ctx, area, result), ...(await keepTyped(ctx, area, kept ?? ''))]
      return await reply.header('set-cookie', cookies).redirect(to, 303)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      request.securityEvent = 'sign_in_failed'
      const page = renderSignIn(tools, { area, to, kept, problem: error.message })
      return reply
        .code(error.code === 'RATE_LIMITED' ? 429 : 401)
        .type('text/html; charset=utf-8')
        .send(page)
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

/** `kept`: a form that was sent without a session, sealed. */
type SignInProps = {
  area: Area
  to: string
  kept?: string | undefined
  email?: string
  asksCode?: boolean
  problem?: string
}

export function renderSignIn(
  { ctx, assets }: Pick<Tools, 'ctx' | 'assets'>,
  { area, to, kept, email = '', asksCode = false, problem }: SignInProps,
): string {
  const action = `/${area}/sign-in?to=${encodeURIComponent(to)}`
  return renderPlain(
    assets,
    area,
    'Sign in',
    <>
      <form method="post" action={action}>
        <OnceField />
        {problem === undefined ? null : (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <Kept kept={kept} />
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
      </form>
      <WithPasskey ctx={ctx} assets={assets} area={area} to={to} kept={kept} />
    </>,
  )
}

const Kept = ({ kept }: Pick<SignInProps, 'kept'>) =>
  kept === undefined ? null : <input type="hidden" name="kept" value={kept} />

type WithPasskeyProps = Pick<Tools, 'ctx' | 'assets' | 'area'> & Pick<SignInProps, 'to' | 'kept'>

function WithPasskey({ ctx, assets, area, to, kept }: WithPasskeyProps) {
  const challenge = signInChallenge(ctx, area)
  return (
    <form method="post" action={`/${area}/passkeys/sign-in?to=${encodeURIComponent(to)}`}>
      <OnceField />
      <input type="hidden" name="challenge" value={challenge} />
      <Kept kept={kept} />
      <PasskeyField assets={assets} asked={signing(challengeHash(challenge), [])} />
      <button type="submit" class="button second">
        Use a passkey
      </button>
    </form>
  )
}
