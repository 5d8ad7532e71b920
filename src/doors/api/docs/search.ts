import { escaped } from './text.ts'

/** A part of a page that a search can lead to. */
export type Section = { href: string; page: string; heading: string; text: string }

/** How much of a query is read, how many sections are shown, and how much of each. */
const most = { query: 100, terms: 8, found: 20, excerpt: 160 }

const plainOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

/** The sections of a rendered page: what follows each heading, or each call of the reference, that can be linked. */
export const sectionsOf = (page: { href: string; title: string; html: string }): Section[] =>
  page.html.split(/(?=<(?:h2|h3|section)\b[^>]* id=")/).map((html, index) => {
    const id = /^<\w+\b[^>]* id="([^"]+)"/.exec(html)?.[1]
    const heading = plainOf(/<(h[1-4])\b[^>]*>([^]*?)<\/\1>/.exec(html)?.[2] ?? '').replace(/ #$/, '')
    return {
      href: id === undefined ? page.href : `${page.href}#${id}`,
      page: page.title,
      heading: index === 0 && id === undefined ? page.title : heading || page.title,
      text: plainOf(html.replace(/<(h[1-4])\b[^>]*>[^]*?<\/\1>/, '')),
    }
  })

/** The sections that contain every term of a query, those with terms in their headings first. */
function findSections(sections: readonly Section[], query: string): Section[] {
  const terms = termsIn(query)
  if (terms.length === 0) return []
  return sections
    .flatMap((section) => {
      const [heading, text] = [section.heading.toLowerCase(), section.text.toLowerCase()]
      if (!terms.every((term) => text.includes(term) || heading.includes(term))) return []
      const inHeading = terms.filter((term) => heading.includes(term)).length
      const count = terms.reduce((sum, term) => sum + Math.min(text.split(term).length - 1, 5), 0)
      return [{ section, rank: inHeading * 10 + count }]
    })
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, most.found)
    .map(({ section }) => section)
}

const termsIn = (query: string): string[] =>
  query.slice(0, most.query).toLowerCase().split(/\s+/).filter(Boolean).slice(0, most.terms)

/** What was found, as HTML: links, each with the text around the first term that its heading lacks. */
export function renderFound(sections: readonly Section[], query: string): string {
  const found = findSections(sections, query)
  if (termsIn(query).length === 0)
    return '<p>Type what you look for, such as webhook, signature, or the code of an error.</p>'
  if (found.length === 0) return `<p>Nothing was found for ${escaped(query.slice(0, most.query))}</p>`
  const items = found.map(({ href, page, heading, text }) => {
    const name = heading === page ? page : `${heading} · ${page}`
    return `<li><h2><a href="${escaped(href)}">${escaped(name)}</a></h2><p>${escaped(
      excerptOf(
        text,
        termsIn(query).filter((term) => !heading.toLowerCase().includes(term)),
      ),
    )}</p></li>`
  })
  return `<ul class="guides">${items.join('\n')}</ul>`
}

function excerptOf(text: string, terms: readonly string[]): string {
  const small = text.toLowerCase()
  const at = Math.max(0, Math.min(...terms.map((term) => small.indexOf(term)).filter((place) => place >= 0)) - 40)
  const from = at === 0 || !Number.isFinite(at) ? 0 : text.indexOf(' ', at) + 1
  const part = text.slice(from, from + most.excerpt)
  return `${from > 0 ? '… ' : ''}${part.replace(/ \S*$/, '')} …`
}
