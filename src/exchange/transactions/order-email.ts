import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Language, languageOf } from '../../platform/language/language.ts'
import type { Email, EmailKind } from '../mail/email.ts'
import { type EmailContent, type Fact, withCompany } from '../mail/layout.ts'
import { sendMail } from '../mail/send.ts'
import { partnerOf } from './partner-of.ts'
import { pricePromiseOf } from './price-promise.ts'
import { checkoutUrl } from './record.ts'
import type { Transaction } from './transaction.ts'

/** An e-mail's subject and text in its reader's language; `values` are the partner's name and the order number. */
export type EmailText = (
  language: Language,
  values: Record<string, string>,
) => { subject: string; paragraphs: string[]; facts?: Fact[][]; link?: { label: string; url: string } }

/** The language that an order's customer reads, with their time zone. */
const languageOfOrder = ({ personal, terms }: Pick<Transaction, 'personal' | 'terms'>): Language =>
  languageOf(personal.locale ?? terms.locale).inZone(personal.timeZone)

/** An e-mail about an order, in the order's language, without its envelope. Its link opens the order's page unless `text` has another. */
export async function contentAboutOrder(
  ctx: Ctx,
  transaction: Transaction,
  text: EmailText,
): Promise<Pick<Email, 'subject' | 'senderName' | 'price'> & { content: EmailContent }> {
  const { name, settings } = await partnerOf(ctx, transaction)
  const language = languageOfOrder(transaction)
  const { tag, say, direction } = language
  const values = { partner: name.replace(/\s+/g, ' '), order: String(transaction.publicId) }
  const { subject, ...written } = text(language, values)
  return {
    subject,
    price: pricePromiseOf(transaction, ctx.clock.now()),
    ...(settings.senderName === null ? {} : { senderName: settings.senderName }),
    content: {
      locale: tag,
      direction,
      title: subject,
      link: { label: say('emails.open'), url: checkoutUrl(ctx, transaction, tag) },
      ...written,
      footer: withCompany(say('emails.footer', values), ctx.config.company),
    },
  }
}

/**
 * Sends the order's customer an e-mail in the caller's block; nothing if no address is known. The order's page shows nothing
 * personal until the address is verified.
 */
export async function writeAboutOrder(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  { kind, text }: { kind: EmailKind; text: EmailText },
): Promise<void> {
  const { id, personal, dataKey } = transaction
  if (personal.email === null) return
  const content = await contentAboutOrder(ctx, transaction, text)
  await sendMail(ctx, db, { to: personal.email, kind, ...content, dataKey, transactionId: id })
}
