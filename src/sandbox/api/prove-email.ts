import type { Ctx } from '../../exchange/context.ts'
import { checkCode, type Proven } from '../../exchange/customers/check-code.ts'
import { sendCode } from '../../exchange/customers/send-code.ts'
import { readMailbox } from '../../exchange/mail/mailbox.ts'
import { findPartners } from '../../exchange/partners/known.ts'
import { tidOf } from '../../exchange/transactions/record.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

/**
 * Proves a test customer's e-mail address the way a customer does: asks for a code, reads it in the sandbox's mailbox, and
 * gives it. Test customers ask for as many codes as they like.
 */
export async function proveEmail(
  ctx: Ctx,
  { id: transactionId, publicId, checkoutToken, partnerId, ...known }: Transaction,
  email: string,
): Promise<Proven> {
  const { customerId, partnerCustomerId } = known
  const isProven = customerId !== null && partnerCustomerId !== null && known.personal.email === email
  if (isProven) return { customerId, partnerCustomerId }
  const unlimited = { ...ctx, config: { ...ctx.config, rateLimits: { ...ctx.config.rateLimits, on: false } } }
  const subject = { transactionId, email }
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  if (!partner) throw new Refusal('NOT_FOUND', 'There is no such partner.')
  const order = {
    ...subject,
    publicId,
    partnerId,
    partnerName: partner.name,
    locale: known.terms.locale,
    tid: tidOf({ checkoutToken, publicId }),
  }
  await sendCode(unlimited, order)
  return checkCode(ctx, { ...order, code: await codeInMailbox(ctx, publicId, email) })
}

/** The code in the newest e-mail to this address about this order. */
async function codeInMailbox(ctx: Ctx, publicId: bigint, email: string): Promise<string> {
  const mails = await readMailbox(ctx, { to: email })
  const order = String(publicId)
  for (const { text } of mails) {
    const [, code] = /^ *(\d{6})$/m.exec(text) ?? []
    if (code !== undefined && text.includes(order)) return code
  }
  throw new Refusal('CONFLICT', 'The e-mail with the code is not in the mailbox.')
}
