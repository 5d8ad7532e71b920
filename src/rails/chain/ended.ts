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

/** Says whether anything was ever signed for a payout, where another process has the keys and a journal. */
export type HasSigned = (payout: string) => Promise<boolean>

/** What the signer says of a payout. Keys in this process sign what our tables have, and nothing else. */
export type SaidOfPayout = 'signed' | 'not_signed' | 'unknown'

export async function askSigner(signer: { hasSigned?: HasSigned } | undefined, key: string): Promise<SaidOfPayout> {
  try {
    return (await signer?.hasSigned?.(key)) ? 'signed' : 'not_signed'
  } catch {
    // A refusal says why.
    return 'unknown'
  }
}

/** Refuses to end a payout that our tables call unsigned, and the signer does not: they may be older than its journal. */
export function refuseSigned(said: SaidOfPayout): void {
  if (said === 'signed')
    throw notExcluded('The signer has signed a transfer for this payout, which may still be carried out.')
  if (said === 'unknown')
    throw notExcluded(
      'The signer does not answer, so it is not known whether it has signed a transfer for this payout.',
    )
}
