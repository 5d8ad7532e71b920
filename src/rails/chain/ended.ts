import type { Atomic, Database, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

/** Refused while a payment can still be carried out. */
export const notExcluded = (why: string): Refusal => new Refusal('NOT_EXCLUDED', `${why} Nothing was ended.`)

/** Writes down that a payment that nobody has signed will never be: submitting it again does nothing. */
export const keepEnded = (db: Atomic, network: string, key: string): void =>
  db.send`insert into chain_ended (network, plan_key) values (${network}, ${key}) on conflict do nothing`

/** Whether a payment was ended before anything was signed for it. */
export const isEnded = async (db: Db, network: string, key: string): Promise<boolean> =>
  (await db.sql`select 1 from chain_ended where network = ${network} and plan_key = ${key}`).length > 0

/** Submitting a payment and ending it wait for each other: before it is submitted, it has no row to lock. */
export const lockPayout = (db: Atomic, network: string, key: string): void =>
  db.send`select pg_advisory_xact_lock(hashtextextended(${`chain payout ${network} ${key}`}, 0))`

/** Does what submits a payment in one block, unless the payment was ended. Nobody ends it meanwhile. */
export const unlessEnded = (
  { db, network: { code } }: { db: Database; network: { code: string } },
  key: string,
  submit: (block: Atomic) => Promise<unknown>,
): Promise<void> =>
  db.atomic(async (block) => {
    lockPayout(block, code, key)
    if (!(await isEnded(block, code, key))) await submit(block)
  })

/**
 * A transfer that was signed for a payout: its id and bytes on the chain, null where the journal has not kept them; and the places that it
 * takes: its account's number, or the coins that it spends. Another transfer that took one of them excludes it.
 */
export type JournalTransfer = { id: string | null; raw: string | null; exclusive: readonly string[] }

/** All that was ever signed for a payout, where another process has the keys and a journal. */
export type SignedFor = (payout: string) => Promise<readonly JournalTransfer[]>

type Keys = { signedFor?: SignedFor } | undefined

/**
 * Refuses to end a payout that our tables call unsigned, and the signer does not: they may be older than its journal. Keys in this process
 * sign what our tables have, and nothing else.
 */
export async function refuseSigned(keys: Keys, key: string): Promise<void> {
  const signed = await keys?.signedFor?.(key).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : 'It does not answer.'
    throw notExcluded(`It is not known whether the signer has signed a transfer for this payout. ${why}`)
  })
  if (signed && signed.length > 0)
    throw notExcluded('The signer has signed a transfer for this payout, which may still be carried out.')
}

/**
 * Whose transfer, with this id, has taken a place that a payout was to take. `other`: somebody else's, and it excludes all that was signed
 * for the payout, which never will be. `unclear`: the signer has signed it for another place, too, which our tables don't know, as after a
 * restore: it may be paid there. `places`: those that the transfer took, as the signer writes them, or their ends. Throws where the signer
 * does not answer.
 */
export async function whoUsed(
  keys: Keys,
  key: string,
  { id, places }: { id: string; places: readonly string[] },
): Promise<JournalTransfer | 'other' | 'unclear'> {
  const signed = (await keys?.signedFor?.(key)) ?? []
  const found = signed.find((one) => one.id === id)
  if (found) return found
  const isTaken = (place: string) => places.some((taken) => place === taken || place.endsWith(` ${taken}`))
  // A line without its bytes, from before they were kept, may be this transfer.
  return signed.every((one) => one.id !== null && one.exclusive.some(isTaken)) ? 'other' : 'unclear'
}

/** Why a payout whose transfer is unclear waits. */
export const unclearTransfer = {
  code: 'already_signed',
  message:
    'The signer has signed a transfer for this payout that the database does not know, as after a restore. Compare the chain with the signer: it may be paid.',
}
