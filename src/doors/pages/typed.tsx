import type { Ctx } from '../../exchange/context.ts'
import { keepOutcomeOf, keyOfForm, newOnce } from '../../exchange/sign-in/once.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import { type Area, doneCookie } from './cookie.ts'
import { Facts, spaced } from './table.tsx'

/** A form that was not done, as far as it may be shown again, and its page. */
export type TypedForm = { path: string; typed: string }

/** What is of one use, or is known to nobody else. */
const secretFields = ['csrf', 'once', 'passkey', 'code', 'password', 'present', 'next']

/** What the page of a form, and its buttons, put into it. */
const isTyped = ([name, value]: [string, string]): boolean => name !== 'action' && value.trim() !== ''

const withoutSecrets = (form: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...form].filter(([name]) => !secretFields.includes(name)))

/** What somebody has typed into a form that its page does not show any more. */
export function Typed({ form }: { form: URLSearchParams }) {
  const fields = [...withoutSecrets(form)].filter(isTyped)
  if (fields.length === 0) return null
  return (
    <section aria-labelledby="typed">
      <h2 id="typed">What you typed</h2>
      <Facts facts={fields.map(([name, value]) => [spaced(name), <span class="wrap">{value}</span>])} />
    </section>
  )
}

/** More than this is not carried through a sign-in. */
const most = 150_000

const placeOf = (area: Area): string => `${area}: a form that waits for a sign-in`

/** Seals a form for the sign-in page that is shown in its place; undefined where nothing was typed. */
export function sealTyped(
  { secrets }: Pick<Ctx, 'secrets'>,
  area: Area,
  path: string,
  form: URLSearchParams,
): string | undefined {
  const typed = withoutSecrets(form)
  if (![...typed].some(isTyped)) return undefined
  const text = JSON.stringify({ path, typed: typed.toString() } satisfies TypedForm)
  return text.length > most ? undefined : seal(secrets.sealing, text, placeOf(area)).toString('base64url')
}

/** Keeps a form that the sign-in page has carried for the page that follows; gives the cookie that names it. */
export async function keepTyped(ctx: Ctx, area: Area, sealed: string): Promise<string[]> {
  const kept = openTyped(ctx, area, sealed)
  if (!kept) return []
  const key = keyOfForm({ area, session: kept.path, once: newOnce() })
  await keepOutcomeOf(ctx, key, kept)
  return [doneCookie(ctx, area, key)]
}

function openTyped({ secrets }: Pick<Ctx, 'secrets'>, area: Area, sealed: string): TypedForm | undefined {
  try {
    return JSON.parse(unseal(secrets.sealing, Buffer.from(sealed, 'base64url'), placeOf(area)).toString()) as TypedForm
  } catch {
    // Not ours, or of an earlier key.
    return undefined
  }
}
