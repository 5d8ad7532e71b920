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

/** A transfer that was signed for a payout: its id and bytes on the chain; null where the journal has not kept them. */
export type JournalTransfer = { id: string | null; raw: string | null }

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
 * The transfer with an id, if the signer has signed it for a payout and our tables do not know: they are older than its journal. Throws
 * where that is not known, so that nothing is taken for somebody else's transfer.
 */
export async function findSigned(keys: Keys, key: string, id: string): Promise<JournalTransfer | undefined> {
  const signed = (await keys?.signedFor?.(key)) ?? []
  const found = signed.find((one) => one.id === id)
  if (!found && signed.some((one) => one.id === null))
    throw new Error(`The signer's journal has a transfer for the payment ${key} without its bytes.`)
  return found
}
