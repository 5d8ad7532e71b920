import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Chain } from './chain.ts'
import { undoAbove } from './coins.sql.ts'
import { readHash } from './node.ts'
import * as queries from './queries.ts'

/**
 * Lets a chain be read again from a block on, after an operator has found out which branch won. What was reported and is still there
 * is left alone; the rest is reversed, as by any reorganization. `also` is done in the same block. Refuses a block that does not
 * exist, or lies before the first that was ever read.
 */
export async function rereadFrom(
  chain: Chain,
  block: bigint,
  also: (db: Atomic) => void = () => undefined,
): Promise<void> {
  const { db, network, node } = chain
  await chain.checkNode(node)
  const before = block - 1n
  const hash = before < 0n ? undefined : await readHash(node, before)
  if (hash === undefined)
    throw new Refusal('BAD_REQUEST', `The node has no block ${before} of ${network.code} to begin with.`)
  await db.atomic(async (atomic) => {
    const [known] = await queries.lockAnyhow(atomic, network.code)
    if (!known || known.first_block === null || before < known.first_block) {
      throw new Refusal('CONFLICT', `${network.code} was followed from block ${known?.first_block ?? 'none'} on.`)
    }
    undoAbove(atomic, network.code, before)
    queries.rereadFrom(atomic, network.code, { number: before, hash })
    also(atomic)
  })
}
