import type { Db } from '../../db/sql.ts'
import * as queries from './queries.ts'
import type { World } from './world.ts'

/** Makes whoever pays out silent about the next payout to an address or account: it acts, and does not answer. */
export async function armTimeout({ db, clock }: Pick<World, 'db' | 'clock'>, recipient: string): Promise<void> {
  await queries.armFault(db, recipient, 'timeout', clock.realNow())
}

/** Tells for each recipient whether this call about it stays without an answer. Each armed fault strikes once. */
export async function takeSilence(db: Db, recipients: string[]): Promise<boolean[]> {
  const struck = new Set((await queries.takeFaults(db, recipients, 'timeout')).map(({ reference }) => reference))
  return recipients.map((recipient) => struck.has(recipient))
}
