import { createPublicKey } from 'node:crypto'

import type { Atomic, Db } from '../../platform/db/sql.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import * as queries from './approvals.sql.ts'
import { type Content, hashOfContent } from './content.ts'
import type { ApprovalDeps } from './deps.ts'
import { credentialOf, isSignedBy } from './signature.ts'
import { isGenuine } from './stamp.ts'

/**
 * An operator's key. `waiting`: earlier keys have not countersigned it yet, and what it signs counts for nothing. `ended` is when it
 * stopped counting; what it signed before stays signed.
 */
export type OperatorKey = queries.KeyRow & {
  state: 'trusted' | 'waiting' | 'ended'
  endedAt: Date | null
  countersignedBy: string[]
  /** How many more operators must countersign it. */
  needs: number
  /** Whether it came through a door, and not as a row alone. */
  isAdded: boolean
}

/** Who adds a key: this machine, whose commands have the master key, or a page. Only the machine vouches for the first key. */
export type AddedAt = 'machine' | 'console'

export const keyContent = (key: Omit<queries.KeyRow, 'addedAt'>): Content => ({
  kind: 'operator_key',
  id: String(key.id),
  number: key.number,
  operator: String(key.operatorId),
  email: key.email,
  type: key.kind,
  public_key: key.publicKey.toString('base64'),
  credential: key.credential.toString('base64'),
  site: key.site,
})

export const keyEndContent = (key: Pick<queries.KeyRow, 'id' | 'credential'>): Content => ({
  kind: 'operator_key_ended',
  id: String(key.id),
  credential: key.credential.toString('base64'),
})

/** What must hold of every key before it counts, in the order of their numbers: those before it vouch for it. */
export async function readKeys(deps: Pick<ApprovalDeps, 'secrets' | 'config'>, db: Db): Promise<OperatorKey[]> {
  const [rows, approvals] = [
    await queries.operatorKeys(db),
    await queries.approvalsOfKinds(db, ['operator_key', 'operator_key_ended']),
  ]
  const genuine = approvals.filter((row) => isGenuine(deps.secrets, row))
  const keys: OperatorKey[] = []
  for (const row of rows) {
    const of = (content: Content) => {
      const hash = hashOfContent(deps.secrets, content)
      return genuine.filter(
        ({ kind, subject, hash: its }) => kind === content.kind && subject === content.id && its?.equals(hash),
      )
    }
    const [given, [end]] = [of(keyContent(row)), of(keyEndContent(row))]
    const earlier = keys.filter((key) => countsAt(key, row.addedAt))
    const signers = new Set<string>()
    for (const { keyId, approver, signature, hash, at } of given) {
      const key = keys.find(({ id }) => id === keyId)
      if (!key || !countsAt(key, at) || approver !== `operator:${key.operatorId}` || !hash) continue
      if (await isSignedBy(key, hash, signature ?? '')) signers.add(approver)
    }
    const addedAt = given.filter(({ keyId }) => keyId === null).map(({ approver }) => approver)
    const needs = Math.max(0, neededFor(deps, row, earlier, { addedAt, signers }) - signers.size)
    const isTrusted = addedAt.length > 0 && needs === 0
    const endedAt = end?.at ?? null
    const state = endedAt ? 'ended' : isTrusted ? 'trusted' : 'waiting'
    keys.push({
      ...row,
      state: isTrusted || endedAt === null ? state : 'waiting',
      endedAt,
      isAdded: addedAt.length > 0,
      countersignedBy: [...signers],
      needs,
    })
  }
  return keys
}

/** Whether what a key signed at a time counts. */
export const countsAt = ({ state, endedAt }: Pick<OperatorKey, 'state' | 'endedAt'>, at: Date): boolean =>
  state === 'trusted' || (state === 'ended' && endedAt !== null && endedAt > at)

/**
 * How many operators must countersign a key: two once two have keys, so that nobody makes a second pair of eyes for himself. An
 * operator's further key needs one of the operator's own. The first is vouched for by the machine; where keys are not demanded, all are.
 */
function neededFor(
  { config }: Pick<ApprovalDeps, 'config'>,
  { operatorId }: queries.KeyRow,
  earlier: readonly OperatorKey[],
  { addedAt, signers }: { addedAt: readonly string[]; signers: ReadonlySet<string> },
): number {
  const isByMachine = addedAt.includes('machine' satisfies AddedAt)
  if (!config.environment.operatorKeys || (earlier.length === 0 && isByMachine)) return 0
  const own = `operator:${operatorId}`
  if (signers.has(own)) return 0
  const holders = new Set(earlier.map((key) => key.operatorId))
  return holders.has(operatorId) ? 1 : Math.min(2, Math.max(1, holders.size))
}

/** Reads an Ed25519 public key in PEM. BAD_REQUEST for anything else. */
export function readPublicKey(pem: string, name: string): queries.NewKey {
  try {
    const publicKey = createPublicKey(pem)
    if (publicKey.asymmetricKeyType === 'ed25519' && !pem.includes('PRIVATE')) {
      const credential = credentialOf(publicKey)
      return { kind: 'ed25519', name, publicKey: credential, credential, site: null }
    }
  } catch {
    // Said below: the file holds something else.
  }
  throw new Refusal('BAD_REQUEST', 'This is no public Ed25519 key in PEM. Make one with: openssl pkey -in KEY -pubout')
}

/** Writes a key of an operator down, in the caller's block. CONFLICT for a key that is known. */
export async function insertKey(
  db: Atomic,
  { operatorId, email, at }: { operatorId: bigint; email: string; at: Date },
  key: queries.NewKey,
): Promise<queries.KeyRow> {
  queries.lockKeys(db)
  const known = await queries.operatorKeys(db)
  if (known.some(({ credential }) => credential.equals(key.credential))) {
    throw new Refusal('CONFLICT', 'This key has been added before.')
  }
  const number = Math.max(0, ...known.map((one) => one.number)) + 1
  const row = { ...key, id: randomId(), number, operatorId, addedAt: at }
  queries.insertKey(db, row)
  return { ...row, email }
}
