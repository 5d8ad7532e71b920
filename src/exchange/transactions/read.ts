import type { Ctx } from '../context.ts'
import { fromRow } from './load.ts'
import * as queries from './transactions.sql.ts'
import { anyRecordOf, type B2bRecord, type TransactionRecord } from './record.ts'

/** A partner's own transaction as its secret key sees it; undefined for an unknown id and for another partner's alike. */
export async function readTransaction(
  ctx: Ctx,
  partnerId: bigint,
  publicId: bigint,
): Promise<TransactionRecord | B2bRecord | undefined> {
  const [row] = await queries.readOwn(ctx.db, partnerId, publicId)
  return row && anyRecordOf(ctx, fromRow(ctx, row))
}
