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

/** The code of a refusal by a signer that has signed something else for the same payout. */
export const signedBefore = 'already_signed'
