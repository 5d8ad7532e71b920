import { Marked, type RendererObject, type Tokens } from 'marked'

import { colored, escaped } from './text.ts'

/** A part of a page that can be led to. */
export type Heading = { id: string; text: string }

/** A guide rendered for a page: its HTML without the title, and its sections. */
export type Rendered = { html: string; sections: Heading[] }

/**
 * Renders a guide. Headings have the addresses that code hosts give them, wide things scroll by themselves, and links are what
 * `hrefOf` makes of them; undefined leaves plain text. Raw HTML is dropped.
 */
export function renderMarkdown(text: string, hrefOf: (link: string) => string | undefined): Rendered {
  const sections: Heading[] = []
  const taken = new Map<string, number>()
  const idOf = (heading: string): string => {
    const slug = slugOf(heading)
    const times = taken.get(slug) ?? 0
    taken.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  }
  const renderer: RendererObject = {
    heading({ depth, tokens }) {
      const inside = this.parser.parseInline(tokens)
      const heading = this.parser.parseInline(tokens, this.parser.textRenderer)
      const id = anchorOf(idOf(plain(heading)))
      if (depth === 1) return ''
      if (depth === 2) sections.push({ id, text: plain(heading) })
      return `<h${depth} id="${id}">${inside} <a class="here" href="#${id}" aria-label="${escaped(`Link to ${plain(heading)}`)}">#</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const inside = this.parser.parseInline(tokens)
      const to = hrefOf(href)
      return to === undefined ? inside : `<a href="${escaped(ours(to))}">${inside}</a>`
    },
    image({ href, text: says }) {
      const from = hrefOf(href)
      return from === undefined ? '' : `<img src="${escaped(from)}" alt="${escaped(says)}" loading="lazy">`
    },
    code: ({ text: code, lang }) =>
      `<pre tabindex="0" role="group" aria-label="${escaped(labels[lang ?? ''] ?? 'Example')}"><code>${colored(code)}</code></pre>\n`,
    table(table: Tokens.Table) {
      const row = (cells: Tokens.TableCell[], cell: 'th' | 'td'): string =>
        `<tr>${cells.map(({ tokens }) => `<${cell}>${this.parser.parseInline(tokens)}</${cell}>`).join('')}</tr>`
      const body = table.rows.map((cells) => row(cells, 'td')).join('\n')
      const head = row(table.header, 'th').replaceAll('<th></th>', '<td></td>').replaceAll('<th>', '<th scope="col">')
      return `<div class="wide" role="group" aria-label="Table" tabindex="0"><table><thead>${head}</thead><tbody>\n${body}</tbody></table></div>\n`
    },
    html: () => '',
  }
  const html = new Marked({ gfm: true, renderer }).parse(text, { async: false })
  return { html, sections }
}

const labels: Record<string, string> = { sh: 'Commands', json: 'JSON', http: 'A request', ts: 'TypeScript' }

/** A heading's text without HTML. */
const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Ids start with an alphabetic character. */
const anchorOf = (slug: string): string => (/^\p{Letter}/u.test(slug) ? slug : `section-${slug}`)

/** A link as it was written for a code host, with the id that the section has here. */
const ours = (link: string): string =>
  link.startsWith('https:') ? link : link.replace(/#(.+)$/, (_, slug: string) => `#${anchorOf(slug)}`)

/** As code hosts do: small letters, spaces become hyphens, other signs go. */
const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replace(/\s/g, '-')
