import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

type Deps = Pick<Ctx, 'db' | 'clock' | 'secrets'>

/** How long a page with a challenge can be used. */
const validMs = 15 * 60_000

/** A challenge for signing in at an area, which works there once within 15 minutes. */
export function signInChallenge({ clock, secrets }: Pick<Deps, 'clock' | 'secrets'>, area: string): string {
  const text = `${after(clock.realNow(), validMs).getTime()}.${randomToken(16)}`
  return `${text}.${macOf(secrets, area, text)}`
}

const macOf = (secrets: Ctx['secrets'], area: string, text: string): string =>
  createHmac('sha256', secrets.keyFor('passkeys')).update(`sign in ${area} ${text}`).digest('base64url')

/** What a passkey signs of a challenge. */
export const challengeHash = (challenge: string): Buffer => createHash('sha256').update(challenge).digest()

/** The challenge for a new passkey of a session: another session's answer does not fit. */
export const registrationChallenge = (
  { secrets }: Pick<Deps, 'secrets'>,
  area: string,
  { sessionId }: { sessionId: bigint },
): Buffer => createHmac('sha256', secrets.keyFor('passkeys')).update(`register ${area} ${sessionId}`).digest()

/** Uses a challenge of an area up. INVALID_TOKEN for one that is not ours, is over, or was used before. */
export async function useChallenge({ db, clock, secrets }: Deps, area: string, challenge: string): Promise<void> {
  const now = clock.realNow()
  const [, text = '', mac = ''] = /^(\d+\.[\w-]+)\.([\w-]+)$/.exec(challenge) ?? []
  const [expected, given] = [Buffer.from(macOf(secrets, area, text)), Buffer.from(mac)]
  const until = new Date(Number.parseInt(text, 10))
  const isOurs = expected.length === given.length && timingSafeEqual(expected, given)
  const isFresh = isOurs && until > now && (await writeUsed(db, challengeHash(challenge), { now, until })).length > 0
  if (!isFresh) throw new Refusal('INVALID_TOKEN', 'This page is too old. Reload it, and use your passkey again.')
}

/** Notes a challenge as used, and forgets those that are over. Gives nothing if it was used before. */
const writeUsed = (db: Db, used: Buffer, { now, until }: { now: Date; until: Date }): Promise<unknown[]> =>
  db.sql`
    with over as (delete from used_challenges where until < ${now})
    insert into used_challenges (hash, until) values (${used}, ${until}) on conflict do nothing returning 1`
