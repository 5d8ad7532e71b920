import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Language, languageOf } from '../../platform/language/language.ts'
import { layOut, withCompany } from '../mail/layout.ts'
import { sendMail } from '../mail/send.ts'
import { partnerOf } from './partner-of.ts'
import { checkoutUrl } from './record.ts'
import type { Transaction } from './transaction.ts'

/** An e-mail's subject and text in its reader's language; `values` are the partner's name and the order number. */
export type EmailText = (
  say: Language['say'],
  values: Record<string, string>,
) => { subject: string; paragraphs: string[] }

/**
 * Sends the order's customer an e-mail, in the caller's block and in the order's language; nothing if no address is known. Its link
 * opens the order's page, which shows nothing personal until the address is verified.
 */
export async function writeAboutOrder(ctx: Ctx, db: Atomic, transaction: Transaction, text: EmailText): Promise<void> {
  const { id, publicId, personal, terms, dataKey } = transaction
  if (personal.email === null) return
  const { name, settings } = await partnerOf(ctx, transaction)
  const { tag, say, direction } = languageOf(personal.locale ?? terms.locale)
  const values = { partner: name.replace(/\s+/g, ' '), order: String(publicId) }
  const { subject, paragraphs } = text(say, values)
  const laidOut = layOut({
    locale: tag,
    direction,
    title: subject,
    paragraphs,
    link: { label: say('emails.open'), url: checkoutUrl(ctx, transaction, tag) },
    footer: withCompany(say('emails.footer', values), ctx.config.company),
  })
  await sendMail(ctx, db, {
    to: personal.email,
    subject,
    ...laidOut,
    ...(settings.senderName === null ? {} : { senderName: settings.senderName }),
    dataKey,
    transactionId: id,
  })
}
