import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { doOnce, keyOfForm, outcomeOf, unknownOutcome } from '../../exchange/sign-in/once.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { AreaPage, AreaVisit, Outcome, PageContent } from './area.ts'
import { type Area, cookieIn, doneCookie } from './cookie.ts'
import { drawnMark, type RefusedForm } from './form.tsx'
import { renderMessage } from './plain.tsx'
import type { TypedForm } from './typed.tsx'

/** The name of a form that can be used once. Like an `Idempotency-Key`, a program may leave it out; no browser does. */
export function keyOf(area: Area, sessionId: bigint, form: URLSearchParams): string | undefined {
  const once = form.get('once')
  return once === null ? undefined : keyOfForm({ area, session: String(sessionId), once })
}

type PostedForm<Visit extends AreaVisit> = {
  ctx: Ctx
  area: Area
  headers: Record<string, string>
  key: string | undefined
  /** When the form came, in milliseconds of this process. */
  cameAt: number
  page: AreaPage<Visit> & Required<Pick<AreaPage<Visit>, 'act'>>
  visit: Visit & { form: URLSearchParams }
  /** Why it is not even tried. */
  refusal?: Refusal | undefined
}

/** Does what a form says, and leads to the page that follows. One that is refused is shown again, with what was typed. */
export async function answerForm<Visit extends AreaVisit>(
  reply: FastifyReply,
  posted: PostedForm<Visit>,
): Promise<FastifyReply> {
  const { ctx, area, headers, key, cameAt, page, visit, refusal } = posted
  try {
    if (refusal) throw refusal
    const work = (own: Ctx): Promise<Outcome> => page.act({ ...visit, ctx: own })
    const outcome =
      key === undefined ? await work(ctx) : await doOnce(ctx, key, work, { kept: kept(visit.path), cameAt })
    if (outcome === undefined) throw unknownOutcome()
    if ('secrets' in outcome) return await sendContent(reply, headers, await page.show({ ...visit, ...outcome }))
    if ('body' in outcome) return await sendContent(reply, headers, outcome)
    if (outcome.said !== undefined && key !== undefined) void reply.header('set-cookie', doneCookie(ctx, area, key))
    return await reply.headers(headers).redirect(outcome.to, 303)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const refused = refusedForm(error, visit.form)
    const status = statuses[error.code] ?? 400
    const again =
      (await shownAgain(() => showRefused(page, visit, refused))) ??
      messageOf({ area, visit }, status, { form: visit.form, message: error.message })
    return sendContent(reply.code(status), headers, again)
  }
}

/** A message in place of a page, with what was typed into a form of it. */
export const messageOf = (
  { area, visit }: { area: Area; visit: Pick<AreaVisit, 'assets'> },
  status: number,
  { form, message }: Pick<RefusedForm, 'form' | 'message'>,
): PageContent => ({ body: renderMessage(visit.assets, area, status, message, form) })

/** A page with a form of it that was refused; where the page does not have that form any more, with what was typed into it. */
export async function showRefused<Visit extends AreaVisit>(
  page: AreaPage<Visit>,
  visit: Visit,
  refused: RefusedForm,
): Promise<PageContent> {
  const shown = await page.show({ ...visit, refused })
  if (typeof shown.body !== 'string' || shown.body.includes(drawnMark)) return shown
  return page.show({ ...visit, refused: { ...refused, isGone: true } })
}

/** What the form that was used last has done, said once; or one that was typed before somebody had to sign in again. */
export async function lastForm(
  ctx: Ctx,
  area: Area,
  { headers: { cookie }, url }: Pick<FastifyRequest, 'headers' | 'url'>,
  reply: FastifyReply,
): Promise<{ said?: string | undefined; refused?: RefusedForm }> {
  const key = cookieIn(ctx, cookie, `${area}-done`)
  if (key === undefined) return {}
  void reply.header('set-cookie', doneCookie(ctx, area, ''))
  const outcome = await outcomeOf<Outcome | TypedForm>(ctx, key)
  // A cookie may name what led to a text.
  if (typeof outcome !== 'object') return {}
  if ('typed' in outcome && outcome.path === url.split('?')[0])
    return { refused: { form: new URLSearchParams(outcome.typed), field: '', message: signedOut } }
  return 'to' in outcome ? { said: outcome.said } : {}
}

const signedOut = 'You had been signed out, so nothing was done. Look at what you typed, then send it again.'

/** What may be stored of an outcome: no page and no file, which may have secrets that are shown once, or personal data. */
const kept =
  (path: string) =>
  (outcome: Outcome): Outcome =>
    'to' in outcome ? outcome : { to: path, said: 'This form has been used. What it made was shown once.' }

/** A form with what is wrong with it. */
function refusedForm({ message, problems }: Refusal, form: URLSearchParams): RefusedForm {
  const field = problems.find(({ path }) => form.has(path))?.path ?? ''
  return { form, field, message }
}

/** The page with the form; undefined where it does not exist any more. */
async function shownAgain(show: () => Promise<PageContent>): Promise<PageContent | undefined> {
  try {
    return await show()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

export function sendContent(
  reply: FastifyReply,
  headers: Record<string, string>,
  { body, type, headers: own }: PageContent,
): FastifyReply {
  void reply.headers({ ...headers, ...own })
  return reply.type(type ?? 'text/html; charset=utf-8').send(body)
}

export const statuses: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  CONFLICT: 409,
  BAD_REQUEST: 400,
  INVALID_TOKEN: 401,
  RATE_LIMITED: 429,
}
