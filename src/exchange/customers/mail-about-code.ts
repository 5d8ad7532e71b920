import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { EmailKind } from '../mail/email.ts'
import type { EmailContent } from '../mail/layout.ts'
import { sendMail } from '../mail/send.ts'
import { findPartners } from '../partners/known.ts'
import type { CodeOrder } from './one-time-code.ts'
import { findOrMakePartnerCustomer } from './partner-customer.ts'

/**
 * Sends an e-mail about a code, or about who has entered it, to the order's address in the caller's block. Until the address is
 * proven, it is sealed with the key of what the partner knows of that address.
 */
export async function mailAboutCode(
  ctx: Ctx,
  db: Atomic,
  order: CodeOrder,
  email: { kind: EmailKind; subject: string; content: EmailContent },
): Promise<void> {
  const { dataKeyId } = await findOrMakePartnerCustomer(ctx, db, order)
  const dataKey = await ctx.keyring.get(db, dataKeyId)
  const senderName = (await findPartners(ctx, [order.partnerId])).get(order.partnerId)?.settings.senderName
  await sendMail(ctx, db, {
    to: order.email,
    ...email,
    ...(senderName ? { senderName } : {}),
    // Only the code itself was asked for: another one does not go to an address that bounced.
    ...(email.kind === 'code' ? { isAskedFor: true } : {}),
    dataKey,
    transactionId: order.transactionId,
  })
}
