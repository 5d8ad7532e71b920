import { languageOf } from '../../platform/language/language.ts'
import { withCompany } from '../mail/layout.ts'
import type { Company } from '../settings.ts'

/** What the e-mail with a one-time code contains. */
export type CodeEmail = {
  code: string
  partnerName: string
  publicId: bigint
  validMs: number
  locale: string | null
  /** Proves the address in the browser that asked for the code. */
  url?: string | undefined
  company?: Company | undefined
}

/** The e-mail with a one-time code, in the reader's language. The code is not in the subject, which locked phones show. */
export function codeEmail({ code, partnerName, publicId, validMs, locale, url, company }: CodeEmail) {
  const { tag, say, duration, direction } = languageOf(locale)
  const partner = partnerName.replace(/\s+/g, ' ')
  const title = say('emails.code.title', { partner })
  return {
    kind: 'code' as const,
    subject: title,
    content: {
      locale: tag,
      direction,
      title,
      paragraphs: [
        say('emails.code.enter'),
        say('emails.code.valid', { time: duration(validMs) }),
        say('emails.code.warning'),
      ],
      code,
      ...(url === undefined ? {} : { link: { label: say('emails.code.link'), url } }),
      footer: withCompany(say('emails.footer', { order: String(publicId), partner }), company),
    },
  }
}

/** The e-mail that warns the owner of an address: wrong codes were entered, or its order was opened in another browser. */
export function warningEmail(kind: 'new_device' | 'wrong_codes', { partnerName, publicId, locale, company }: Warned) {
  const { tag, say, direction } = languageOf(locale)
  const values = { partner: partnerName.replace(/\s+/g, ' '), order: String(publicId) }
  const name = kind === 'new_device' ? 'newDevice' : 'wrongCodes'
  const subject = say(`emails.${name}.subject`, values)
  return {
    kind,
    subject,
    content: {
      locale: tag,
      direction,
      title: subject,
      paragraphs: [say(`emails.${name}.lead`, values), say(`emails.${name}.next`, values)],
      footer: withCompany(say('emails.footer', values), company),
    },
  }
}

type Warned = Omit<CodeEmail, 'code' | 'validMs' | 'url'>
