import { languageOf } from '../../platform/language/language.ts'
import { layOut } from '../mail/layout.ts'

/** What the letter with a one-time code tells; `locale` is the reader's, as far as it is known. */
export type CodeLetterFacts = {
  code: string
  partnerName: string
  publicId: bigint
  validMs: number
  locale: string | null
}

/**
 * The letter that brings a one-time code, in the reader's language. The code stands in the subject too, where phones show and
 * copy it; there is no link, so that nobody learns to follow links in such letters.
 */
export function codeLetter({ code, partnerName, publicId, validMs, locale }: CodeLetterFacts) {
  const { tag, say, duration, direction } = languageOf(locale)
  const partner = partnerName.replace(/\s+/g, ' ')
  return {
    subject: say('emails.code.subject', { code, partner }),
    ...layOut({
      locale: tag,
      direction,
      title: say('emails.code.title', { partner }),
      paragraphs: [
        say('emails.code.enter'),
        say('emails.code.valid', { time: duration(validMs) }),
        say('emails.code.warning'),
      ],
      code,
      footer: say('emails.footer', { order: String(publicId), partner }),
    }),
  }
}
