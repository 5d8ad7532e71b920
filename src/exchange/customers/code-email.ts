import { languageOf } from '../../platform/language/language.ts'
import { layOut } from '../mail/layout.ts'

/** `locale` is the reader's, if known. */
export type CodeEmailInput = {
  code: string
  partnerName: string
  publicId: bigint
  validMs: number
  locale: string | null
}

/**
 * The e-mail with a one-time code, in the reader's language. The code is in the subject too, where phones show and copy it.
 * There is no link, so that nobody learns to follow links in such e-mails.
 */
export function codeEmail({ code, partnerName, publicId, validMs, locale }: CodeEmailInput) {
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
