import type { Atomic } from '../../../platform/db/sql.ts'
import { payoutsHalted } from '../../halts.ts'
import type { Chain } from '../chain.ts'

/** Whether nothing of an asset may be signed on a chain now. Asked where it is written down, a halt waits until that block ends. */
export async function isHalted({ name }: Pick<Chain, 'name'>, db: Atomic, asset: string): Promise<boolean> {
  const halts = await payoutsHalted(db, name)
  return halts === 'all' || halts.has(asset)
}
