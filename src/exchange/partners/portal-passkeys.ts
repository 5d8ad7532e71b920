import type { Ctx } from '../context.ts'
import type { KeyRow } from '../approvals/approvals.sql.ts'
import { registrationChallenge } from '../sign-in/challenge.ts'
import { passkeySites, readPasskey, registrationOptions } from '../approvals/passkey.ts'
import { takeSignature } from '../approvals/take-signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { doesNotOpen, type PasskeySignIn, signingIn, takeAssertion } from '../sign-in/passkey.ts'
import { beginPortalSession, type PortalSession } from './portal-sessions.ts'
import { portalSubject } from './portal-users.ts'

/** A passkey of somebody of a partner. */
export type PortalPasskey = { id: bigint; name: string; credential: Buffer; addedAt: Date }

type Deps = Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config' | 'publicUrl'>

const area = 'portal'

/** Somebody's passkeys that have not ended, the oldest first. */
export const portalPasskeysOf = ({ db }: Pick<Ctx, 'db'>, userId: bigint): Promise<PortalPasskey[]> =>
  db.sql`
    select id, name, credential, added_at as "addedAt" from portal_passkeys
    where user_id = ${userId} and ended_at is null order by added_at, id`

/** What a page asks somebody's browser for, so that it makes a passkey. */
export async function portalPasskeyOptions(
  ctx: Deps,
  user: PortalSession,
): Promise<ReturnType<typeof registrationOptions>> {
  const known = (await portalPasskeysOf(ctx, user.id)).map(({ credential }) => credential)
  return registrationOptions(user, registrationChallenge(ctx, area, user), known)
}

/** Adds the passkey that somebody's browser has made: from now on the password alone opens nothing. CONFLICT for one that is known. */
export async function addPortalPasskey(
  ctx: Deps,
  user: PortalSession,
  { made, name }: { made: string; name: string },
): Promise<void> {
  const challenge = registrationChallenge(ctx, area, user)
  const sites = passkeySites(ctx.publicUrl, ctx.config.environment.trustsHostHeader)
  const key = await readPasskey(made, { challenge, sites, name: name.trim().slice(0, 100) || 'Passkey' })
  await ctx.db.atomic(async (db) => {
    const inserted = await db.sql`
      insert into portal_passkeys (id, user_id, name, public_key, credential, site, added_at)
      values (${randomId()}, ${user.id}, ${key.name}, ${key.publicKey}, ${key.credential}, ${key.site}, ${ctx.clock.now()})
      on conflict (credential) do nothing returning id`
    if (inserted.length === 0) throw new Refusal('CONFLICT', 'This passkey has been added before.')
    audit(ctx, db, user.id, { action: 'portal_user.passkey_added', name: key.name })
  })
}

/** Ends a passkey of somebody's own. NOT_FOUND for any other. */
export const endPortalPasskey = (ctx: Pick<Ctx, 'db' | 'clock'>, user: PortalSession, id: bigint): Promise<void> =>
  ctx.db.atomic(async (db) => {
    const [ended] = await db.sql<{ name: string }>`
      update portal_passkeys set ended_at = ${ctx.clock.now()}
      where id = ${id} and user_id = ${user.id} and ended_at is null returning name`
    if (!ended) throw new Refusal('NOT_FOUND', 'You have no such passkey.')
    audit(ctx, db, user.id, { action: 'portal_user.passkey_ended', name: ended.name })
  })

/** Signs somebody of a partner in with a passkey, which is both factors. INVALID_TOKEN for anything that does not fit, and for a copy, which is audited. */
export function signInAtPortalWithPasskey(
  ctx: Deps & Pick<Ctx, 'rowIds'>,
  sent: Omit<PasskeySignIn, 'agent'>,
): Promise<{ token: string; device: string }> {
  return signingIn(ctx, sent.network, async () => {
    const { key, ...taken } = await takeAssertion(ctx, area, sent, (credential) => keysBy(ctx, credential))
    const given = { ...taken, actor: portalSubject(key.userId), noun: 'portal_user' as const }
    return beginPortalSession(ctx, { id: key.userId, email: key.email }, sent.network, async (db) => {
      if (!(await takeSignature(ctx, db, key, given))) throw doesNotOpen(area)
    })
  })
}

const keysBy = ({ db }: Pick<Ctx, 'db'>, credential: Buffer) =>
  db.sql<Pick<KeyRow, 'kind' | 'name' | 'publicKey' | 'credential' | 'site'> & { userId: bigint; email: string }>`
    select user_id as "userId", email, portal_passkeys.name, 'passkey' as kind, credential, public_key as "publicKey", site
    from portal_passkeys join portal_users on portal_users.id = user_id join partners on partners.id = partner_id
    where credential = ${credential} and ended_at is null and portal_users.disabled_at is null
      and partners.disabled_at is null`

const audit = (
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  userId: bigint,
  { action, name }: { action: AuditAction; name: string },
): void => {
  const subject = portalSubject(userId)
  recordAudit(db, { at: clock.now(), actor: subject, action, subject, before: null, after: { name } })
}
