import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import type { Status } from './lifecycle.ts'
import type { Transaction } from './transaction.ts'

const idBytes = 8
const proofBytes = 18

/** The statuses that have a receipt. A payout or refund that is returned later takes it away until the order ends again. */
const receiptStatuses: ReadonlySet<Status> = new Set(['finished', 'refunded'])

export const hasReceipt = ({ status }: Pick<Transaction, 'status'>): boolean => receiptStatuses.has(status)

/**
 * Links a transaction's receipt. The token holds the order number and 144 bits that only the master key can make, so nothing is
 * stored and the link works as long as the transaction exists. It can't be derived from the checkout link.
 */
export const receiptUrl = (ctx: Pick<Ctx, 'publicUrl' | 'secrets'>, { publicId }: { publicId: bigint }): string => {
  const id = Buffer.alloc(idBytes)
  id.writeBigUInt64BE(publicId)
  return `${ctx.publicUrl}/receipt/${Buffer.concat([id, proofOf(ctx, publicId)]).toString('base64url')}`
}

/** The transaction that a receipt's token was made for; undefined for any other text. */
export function publicIdInReceiptToken(ctx: Pick<Ctx, 'secrets'>, token: string): bigint | undefined {
  if (!/^[\w-]{35}$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== idBytes + proofBytes) return undefined
  const publicId = bytes.readBigUInt64BE()
  return timingSafeEqual(bytes.subarray(idBytes), proofOf(ctx, publicId)) ? publicId : undefined
}

const proofOf = ({ secrets }: Pick<Ctx, 'secrets'>, publicId: bigint): Buffer =>
  indexHash(secrets, 'receipt', String(publicId)).subarray(0, proofBytes)
