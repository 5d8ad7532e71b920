import type { Exchange } from './exchange.ts'
import { asOwner } from './server.ts'

/** What somebody with the owner's rights does to rows, and what undoes it. */
export type Change = { change: string; mend: string }

/** Looks while rows are changed. No balance is folded meanwhile: it would keep the change when the rows are put back. */
export const whileChanged = <Seen>(
  { ownerUrl }: Pick<Exchange, 'ownerUrl'>,
  { change, mend }: Change,
  look: () => Promise<Seen>,
): Promise<Seen> =>
  asOwner(ownerUrl, (keeper) =>
    asOwner(ownerUrl, async (owner) => {
      await keeper.query('begin; select from fold_state for update')
      await owner.query(change)
      try {
        return await look()
      } finally {
        await owner.query(mend)
      }
    }),
  )
