import type { Ctx } from '../context.ts'
import type { PayoutProgress } from '../../rails/chain/refusals.ts'
import { readTransactionWhole } from '../transactions/load.ts'
import { ownerOf } from './payer.ts'

type SaidPayee = NonNullable<PayoutProgress['payee']>

/**
 * What a payee's bank says of an account, compared with the one whose order it pays: of several names, the most alike. `score` in
 * thousandths; null where one of the names is not known.
 */
export type ComparedPayee = SaidPayee & { name: string | null; isVerified: boolean; score: number | null }

/** Compares it. A return of money without an order is compared with nobody. */
export async function comparePayee(ctx: Ctx, publicId: bigint | null, said: SaidPayee): Promise<ComparedPayee> {
  const transaction = publicId === null ? undefined : await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.isErased) return { ...said, name: null, isVerified: false, score: null }
  const { name = null, isVerified, likeness } = await ownerOf(ctx, ctx.db, transaction)
  const names = said.names.split('; ').filter((one) => one !== '')
  const scores = name === null ? [] : names.map((one) => likeness(name, one))
  return { ...said, name, isVerified, score: scores.length === 0 ? null : Math.max(...scores) }
}
