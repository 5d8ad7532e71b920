import type { Atomic } from '../../platform/db/sql.ts'
import { rereadFrom } from '../chain/follow.ts'
import type { ReportEvents } from '../rail.ts'
import type { Chain } from './chain.ts'
import { undoing } from './follow.ts'

/** Lets a chain be read again from a block on: see `rereadFrom` of `chain/follow.ts`. */
export async function reread(
  chain: Chain,
  block: bigint,
  report: ReportEvents,
  also?: (db: Atomic) => void,
): Promise<void> {
  await chain.chainId()
  await rereadFrom(chain, undoing(chain, report), block, also)
}
