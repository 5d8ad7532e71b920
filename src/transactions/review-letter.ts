import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { languageOf } from '../language/language.ts'
import { layOut } from '../mail/letter.ts'
import { sendMail } from '../mail/send.ts'
import { partnerOf } from './details.ts'
import { identityStateOf, waitsForIdentity } from './identity-step.ts'
import type { Transaction } from './transaction.ts'

/** What a customer is told of a review that has ended: the order goes on, ends, needs more to be shown, or has to wait. */
export type ReviewEnd = 'passed' | 'refused' | 'again' | 'over'

/**
 * Writes to the customer of an order that waited while a person looked at their documents, in the caller's block and with what came
 * of it: they were told that they may close the page. Says what to do, and never why somebody was refused. Nothing is written while
 * the review goes on.
 */
export async function tellOfReview(ctx: Ctx, db: Atomic, transaction: Transaction): Promise<void> {
  const { id, publicId, personal, terms, dataKey } = transaction
  const end = await endOf(ctx, transaction)
  if (end === undefined || personal.email === null) return
  const { name: partnerName } = await partnerOf(ctx, transaction)
  const letter = reviewLetter({
    end,
    partnerName,
    publicId,
    locale: personal.locale ?? terms.locale,
    publicUrl: ctx.publicUrl,
  })
  await sendMail(ctx, db, { to: personal.email, ...letter, dataKey, transactionId: id })
}

async function endOf(ctx: Ctx, transaction: Transaction): Promise<ReviewEnd | undefined> {
  if (transaction.status === 'failed') return 'refused'
  if (!waitsForIdentity(transaction)) return 'passed'
  const state = await identityStateOf(ctx, transaction)
  return state === 'again' || state === 'over' ? state : undefined
}

type ReviewLetter = { end: ReviewEnd; partnerName: string; publicId: bigint; locale: string | null; publicUrl: string }

/** The link is the order's own page, which shows nothing personal to whoever has not proven the address. */
function reviewLetter({ end, partnerName, publicId, locale, publicUrl }: ReviewLetter) {
  const { tag, say, direction } = languageOf(locale)
  const partner = partnerName.replace(/\s+/g, ' ')
  const values = { partner, order: String(publicId) }
  return {
    subject: say(`letter.review.${end}.subject`, values),
    ...layOut({
      locale: tag,
      direction,
      title: say(`letter.review.${end}.subject`, values),
      paragraphs: [say(`letter.review.${end}.lead`, values), say(`letter.review.${end}.next`, values)],
      link: { label: say('letter.review.open'), url: `${publicUrl}/${tag}/checkout?tid=${publicId}` },
      footer: say('letter.footer', values),
    }),
  }
}
