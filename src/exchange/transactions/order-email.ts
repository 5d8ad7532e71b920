import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Language, languageOf } from '../../platform/language/language.ts'
import { layOut } from '../mail/layout.ts'
import { sendMail } from '../mail/send.ts'
import { partnerOf } from './partner-of.ts'
import { checkoutUrl } from './record.ts'
import type { Transaction } from './transaction.ts'

/** What a letter says, by its reader's language: `values` are the partner's name and the order's number. */
export type Words = (say: Language['say'], values: Record<string, string>) => { subject: string; paragraphs: string[] }

/**
 * Writes to an order's customer with the caller's block, in the language that the order was read in; to nobody where no address is
 * known. The link is the order's own page, which shows nothing personal to whoever has not proven the address.
 */
export async function writeAboutOrder(ctx: Ctx, db: Atomic, transaction: Transaction, words: Words): Promise<void> {
  const { id, publicId, personal, terms, dataKey } = transaction
  if (personal.email === null) return
  const { name } = await partnerOf(ctx, transaction)
  const { tag, say, direction } = languageOf(personal.locale ?? terms.locale)
  const values = { partner: name.replace(/\s+/g, ' '), order: String(publicId) }
  const { subject, paragraphs } = words(say, values)
  const laidOut = layOut({
    locale: tag,
    direction,
    title: subject,
    paragraphs,
    link: { label: say('emails.open'), url: checkoutUrl(ctx, transaction, tag) },
    footer: say('emails.footer', values),
  })
  await sendMail(ctx, db, { to: personal.email, subject, ...laidOut, dataKey, transactionId: id })
}
