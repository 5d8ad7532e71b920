import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { recordAuditAtOnce } from '../audit/audit.ts'
import type { AuditSubject } from '../audit/nouns.ts'
import type { KeyRow } from './approvals.sql.ts'
import type { GivingDeps } from './deps.ts'
import { usesIn } from './passkey.ts'
import { isSignedBy } from './signature.ts'

/** A signature that somebody gives now. `actor` is whose key it is of, as the audit names them. */
type Signing = { hash: Buffer; signature: string; actor: AuditSubject; noun: 'operator' | 'portal_user' }

/**
 * Takes a signature that is given now, unlike one that was stored, in the caller's block. False where the key has not made it.
 * INVALID_TOKEN for a passkey that was used as often before, or more often, by its own count: then there are two of it, which is
 * audited whatever becomes of the block.
 */
export async function takeSignature(
  { db: database, clock }: Pick<GivingDeps, 'db' | 'clock'>,
  db: Atomic,
  key: Pick<KeyRow, 'kind' | 'name' | 'publicKey' | 'credential' | 'site'>,
  { hash, signature, actor, noun }: Signing,
): Promise<boolean> {
  if (!(await isSignedBy(key, hash, signature))) return false
  if (key.kind === 'ed25519' || (await keepCount(db, key.credential, usesIn(signature)))) return true
  await recordAuditAtOnce(database, {
    at: clock.now(),
    actor,
    action: `${noun}.passkey_copied`,
    subject: actor,
    before: null,
    after: { passkey: key.name },
  })
  throw new Refusal(
    'INVALID_TOKEN',
    'There may be a copy of this passkey: it counts fewer uses than before. End it, and add another one.',
  )
}

/** Keeps how often a passkey was used. False for one that was used as often before, or more often. */
async function keepCount(db: Atomic, credential: Buffer, uses: number): Promise<boolean> {
  const kept = await db.sql`
    insert into passkey_counts (credential, uses) values (${credential}, ${uses})
    on conflict (credential) do update set uses = excluded.uses
    where passkey_counts.uses < excluded.uses or (passkey_counts.uses = 0 and excluded.uses = 0)
    returning credential`
  return kept.length > 0
}
