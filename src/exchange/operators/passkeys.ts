import { Refusal } from '../../platform/lib/refusal.ts'
import { type OperatorKey, readKeys } from '../approvals/operator-keys.ts'
import { mayAct } from '../approvals/people.ts'
import { passkeySites, readPasskey, registrationOptions } from '../approvals/passkey.ts'
import { takeSignature } from '../approvals/take-signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { registrationChallenge } from '../sign-in/challenge.ts'
import { deviceOf } from '../sign-in/device.ts'
import { doesNotOpen, type PasskeySignIn, signingIn, takeAssertion } from '../sign-in/passkey.ts'
import { listOperators, operatorSubject } from './operator.ts'
import { addKey } from './operator-keys.ts'
import { beginSession, type SignedIn } from './session.ts'

type Deps = Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config' | 'publicUrl'>

const area = 'console'

/** What a page asks the browser of an operator for, so that it makes a passkey. */
export async function passkeyOptions(ctx: Deps, operator: SignedIn): Promise<ReturnType<typeof registrationOptions>> {
  const own = (await readKeys(ctx, ctx.db)).filter((key) => key.operatorId === operator.operatorId)
  const { email, name, operatorId: id } = operator
  const known = own.filter(({ kind }) => kind === 'passkey').map(({ credential }) => credential)
  return registrationOptions({ id, email, name }, registrationChallenge(ctx, area, operator), known)
}

/** Adds the passkey that an operator's browser has made. It waits for countersignatures as every key does. */
export async function addPasskey(
  ctx: Deps,
  operator: SignedIn,
  { made, name }: { made: string; name: string },
): Promise<OperatorKey> {
  const challenge = registrationChallenge(ctx, area, operator)
  const sites = passkeySites(ctx.publicUrl, ctx.config.environment.trustsHostHeader)
  const key = await readPasskey(made, { challenge, sites, name: name.trim().slice(0, 100) || 'Passkey' })
  const { operatorId: id, email } = operator
  return addKey(ctx, { id, email }, key, { at: 'console', actor: operatorSubject({ id }) })
}

/**
 * Signs an operator in with a passkey, which is both factors: it is something that they have, and it verifies them. No password is asked
 * for. INVALID_TOKEN for anything that does not fit, for a key that is not countersigned yet, and for a copy, which is audited.
 */
export function signInWithPasskey(
  ctx: Deps & Pick<Ctx, 'rowIds'>,
  { agent, ...sent }: PasskeySignIn,
): Promise<{ token: string; device: string }> {
  const { network } = sent
  return signingIn(ctx, network, async () => {
    const taken = await takeAssertion(ctx, area, sent, (credential) => keysBy(ctx, credential))
    const key = (await readKeys(ctx, ctx.db)).find((one) => one.credential.equals(taken.key.credential))
    const operator = (await listOperators(ctx)).find(({ id }) => id === key?.operatorId)
    const refusal = doesNotOpen(area)
    if (key?.isAdded !== true || key.state === 'ended' || operator?.disabledAt !== null) throw refusal
    const id = await ctx.rowIds.next()
    const token = await ctx.db.atomic(async (db) => {
      const actor = operatorSubject(operator)
      const given = { ...taken, actor, noun: 'operator' as const }
      if (!(await mayAct(ctx, db, operator.id)) || !(await takeSignature(ctx, db, key, given))) throw refusal
      if (key.state === 'waiting')
        throw new Refusal('INVALID_TOKEN', 'This passkey waits: it opens the console once it is countersigned.')
      const after = { network, passkey: key.name }
      recordAudit(db, { at: ctx.clock.now(), actor, subject: actor, action: 'operator.signed_in', before: null, after })
      return beginSession(ctx, db, { id, operatorId: operator.id, network, agent })
    })
    return { token, device: deviceOf(ctx, operator.email) }
  })
}

const keysBy = ({ db }: Pick<Ctx, 'db'>, credential: Buffer) =>
  db.sql<{ credential: Buffer; publicKey: Buffer; site: string | null }>`
    select credential, public_key as "publicKey", site from operator_keys join operators on operators.id = operator_id
    where credential = ${credential} and kind = 'passkey' and disabled_at is null`
