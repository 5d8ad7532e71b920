import { languageOf } from '../../platform/language/language.ts'
import { layOut, withCompany } from '../mail/layout.ts'
import type { Company } from '../settings.ts'

/** What the e-mail with a one-time code contains. */
export type CodeEmail = {
  code: string
  partnerName: string
  publicId: bigint
  validMs: number
  locale: string | null
  company?: Company | undefined
}

/**
 * The e-mail with a one-time code, in the reader's language. The code is in the subject too, where phones show and copy it. There
 * is no link, so that customers don't learn to follow links in such e-mails.
 */
export function codeEmail({ code, partnerName, publicId, validMs, locale, company }: CodeEmail) {
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
      footer: withCompany(say('emails.footer', { order: String(publicId), partner }), company),
    }),
  }
}
