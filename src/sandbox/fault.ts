import { createHmac } from 'node:crypto'

import * as queries from './queries.ts'
import type { World } from './world.ts'

/** The next payout to an address or account is carried out, but its answer is lost. */
export async function armTimeout(
  { db, clock, secrets }: Pick<World, 'db' | 'clock' | 'secrets'>,
  recipient: string,
): Promise<void> {
  await queries.armFault(db, markOf({ secrets }, recipient), 'timeout', clock.realNow())
}

/** The chain refuses the next payout to an address, and says so. */
export async function armRefusal(
  { db, clock, secrets }: Pick<World, 'db' | 'clock' | 'secrets'>,
  recipient: string,
): Promise<void> {
  await queries.armFault(db, markOf({ secrets }, recipient), 'refusal', clock.realNow())
}

/** Makes the next refund to a recipient report an unknown status until it is carried out. */
export async function armUnknownStatus(
  { db, clock, secrets }: Pick<World, 'db' | 'clock' | 'secrets'>,
  recipient: string,
): Promise<void> {
  await queries.armFault(db, markOf({ secrets }, recipient), 'unknown_word', clock.realNow())
}

/** Whether the next report about this recipient has an unknown status. */
export const takeUnknownStatus = async (
  { db, secrets }: Pick<World, 'db' | 'secrets'>,
  recipient: string,
): Promise<boolean> => (await queries.takeFaults(db, [markOf({ secrets }, recipient)], 'unknown_word')).length > 0

/** Tells for each recipient whether this call about it stays without an answer. Each armed fault strikes once. */
export async function takeSilence(
  { db, secrets }: Pick<World, 'db' | 'secrets'>,
  recipients: string[],
): Promise<boolean[]> {
  const marks = recipients.map((recipient) => markOf({ secrets }, recipient))
  const struck = new Set((await queries.takeFaults(db, marks, 'timeout')).map(({ reference }) => reference))
  return marks.map((mark) => struck.has(mark))
}

/** Tells for each recipient whether this payout to it is refused, and whether it stays without an answer. Each fault strikes once. */
export async function takeFaults(
  { db, secrets }: Pick<World, 'db' | 'secrets'>,
  recipients: string[],
): Promise<{ isRefused: boolean; isSilent: boolean }[]> {
  const marks = recipients.map((recipient) => markOf({ secrets }, recipient))
  const struck = new Set(
    (await queries.takeFaultsOf(db, marks, ['refusal', 'timeout'])).map(
      ({ reference, type }) => `${type} ${reference}`,
    ),
  )
  return marks.map((mark) => ({ isRefused: struck.has(`refusal ${mark}`), isSilent: struck.has(`timeout ${mark}`) }))
}

/** A keyed hash that identifies a recipient: these tables hold no personal accounts. */
const markOf = ({ secrets }: Pick<World, 'secrets'>, recipient: string): string =>
  createHmac('sha256', secrets.processor).update(`sandbox fault ${recipient}`).digest('base64url')
