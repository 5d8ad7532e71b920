import { type Company, companyLines } from '../settings.ts'

/** The content of an email, in plain text; line breaks within a paragraph are kept. */
export type EmailContent = {
  /** The language of the text, for screen readers. */
  locale?: string
  direction?: 'ltr' | 'rtl'
  title: string
  paragraphs: string[]
  /** Names and values, in groups: payment details, a receipt. */
  facts?: Fact[][]
  /** Something to copy, such as a one-time code; shown separately after the first paragraph. */
  code?: string
  /** One thing to do. The URL is shown too, for mail programs that hide it. */
  link?: { label: string; url: string }
  /** Who sends this, and why. */
  footer?: string
}

/** One line of a list of facts; a note explains the value. */
export type Fact = { name: string; value: string; note?: string; url?: string }

/**
 * Lays an email out as plain text and as HTML with the same content: one column, no images, nothing loaded from elsewhere. Texts
 * are escaped; a link must be http or https.
 */
export function layOut(content: EmailContent): { text: string; html: string } {
  return { text: plainText(content), html: htmlText(content) }
}

/** A footer with the operator's legal name, address, license and support contact below it. */
export const withCompany = (footer: string, company: Company | undefined): string =>
  company ? [footer, ...companyLines(company)].join('\n') : footer

function plainText({ title, paragraphs, facts = [], code, link, footer }: EmailContent): string {
  const [first, ...rest] = paragraphs
  const parts = [
    title,
    first,
    code && `    ${code}`,
    ...rest,
    ...facts.map((group) => group.map(plainFact).join('\n')),
    link && `${link.label}:\n${link.url}`,
    footer && `-- \n${footer}`,
  ]
  return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`
}

const plainFact = ({ name, value, note, url }: Fact): string =>
  `${name}: ${value}${note === undefined ? '' : ` (${note})`}${url === undefined ? '' : `\n  ${url}`}`

const styles = {
  body: 'margin:0;padding:24px;background:#f4f4f2;color:#1d1d1b;font:16px/1.5 system-ui,-apple-system,sans-serif',
  sheet: 'max-width:32em;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px;overflow-wrap:anywhere',
  title: 'margin:0 0 16px;font-size:20px;line-height:1.3',
  paragraph: 'margin:0 0 16px',
  facts: 'width:100%;margin:0 0 16px;border-collapse:collapse;border-top:1px solid #dddddd',
  name: 'padding:6px 12px 6px 0;text-align:start;vertical-align:top;font-weight:400;color:#5c5c57',
  value: 'padding:6px 0;text-align:end;vertical-align:top;overflow-wrap:anywhere',
  note: 'font-size:13px;color:#5c5c57',
  code: 'margin:0 0 16px;font:bold 28px/1.4 ui-monospace,monospace;letter-spacing:4px',
  footer: 'margin:24px 0 0;font-size:13px;color:#6b6b66',
}

function htmlText(content: EmailContent): string {
  const { locale = 'en', direction = 'ltr', title, paragraphs, facts = [], code, link, footer } = content
  const [first = '', ...rest] = paragraphs.map((text) => element('p', styles.paragraph, lines(text)))
  const inside = [
    element('h1', styles.title, escape(title)),
    first,
    code ? element('p', styles.code, escape(code)) : '',
    ...rest,
    ...facts.filter((group) => group.length > 0).map(factTable),
    link ? element('p', styles.paragraph, anchor(link)) : '',
    footer ? element('p', styles.footer, lines(footer)) : '',
  ]
  return [
    `<!doctype html><html lang="${escape(locale)}" dir="${direction}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light">',
    `<title>${escape(title)}</title></head><body style="${styles.body}">`,
    element('div', styles.sheet, inside.join('')),
    '</body></html>\n',
  ].join('')
}

const factTable = (group: Fact[]): string =>
  element('table', styles.facts, `<tbody>${group.map(factRow).join('')}</tbody>`)

function factRow({ name, value, note, url }: Fact): string {
  const inside = [
    escape(value),
    ...(note === undefined ? [] : [element('span', styles.note, escape(note))]),
    ...(url === undefined ? [] : [linkTo(url, escape(url))]),
  ]
  return `<tr><th scope="row" style="${styles.name}">${escape(name)}</th>${element('td', styles.value, inside.join('<br>'))}</tr>`
}

const anchor = ({ label, url }: { label: string; url: string }): string =>
  `${linkTo(url, escape(label))}<br>${escape(url)}`

function linkTo(url: string, inside: string): string {
  if (!/^https?:\/\//.test(url)) throw new Error('Links in emails must be http or https.')
  return `<a href="${escape(url)}">${inside}</a>`
}

const element = (name: string, style: string, inside: string): string => `<${name} style="${style}">${inside}</${name}>`

const lines = (text: string): string => escape(text).replaceAll('\n', '<br>')

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
