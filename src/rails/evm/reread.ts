import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Chain } from './chain.ts'
import type { ReportEvents } from '../rail.ts'
import * as queries from './queries.ts'
import { readHashes, readHead } from './read-blocks.ts'
import { toRailEvent } from './events.ts'

/**
 * Lets a chain be read again from a block on, after an operator has found out which branch won. What was reported and is still there is
 * left alone; the rest is reversed, as by any reorganization. `also` is done in the same block. Refuses a block that does
 * not exist, or lies before the first that was ever read: what is older is in the opening balance.
 */
export async function rereadFrom(
  chain: Chain,
  block: bigint,
  report: ReportEvents,
  also: (db: Atomic) => void = () => undefined,
): Promise<void> {
  const { db, network, name: rail } = chain
  await chain.chainId()
  const before = block - 1n
  const [hash] = before < 0n ? [] : await readHashes(chain, [before])
  if (hash === undefined || before >= (await readHead(chain))) {
    throw new Refusal('BAD_REQUEST', `The node has no block ${block} of ${network.code} to begin with.`)
  }
  await db.atomic(async (atomic) => {
    const [known] = await queries.lockAnyhow(atomic, network.code)
    if (!known || known.first_block === null || before < known.first_block) {
      throw new Refusal('CONFLICT', `${network.code} was followed from block ${known?.first_block ?? 'none'} on.`)
    }
    const lost = await queries.takeBack(atomic, network.code, before)
    queries.rereadFrom(atomic, network.code, { number: before, hash })
    also(atomic)
    if (lost.length > 0)
      await report(
        atomic,
        lost.map((one) => ({ ...toRailEvent(one, 'reversed'), rail })),
      )
  })
}
