import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../../platform/lib/root.ts'
import { icon, serveFile, styleSheet } from '../../ui/serve-file.ts'
import { escaped } from '../openapi/page-text.ts'
import { type Guide, readGuides, readSamples } from './guides.ts'
import { renderMarkdown } from './markdown.ts'
import { type AssetPaths, guidesPath, referencePath, renderDocs, searchPath } from './page.tsx'
import { servePictures } from './pictures.ts'
import { renderFound, type Section, sectionsOf } from './search.ts'
import { keep, madeOnce, sendFresh, sendKept } from './send-kept.ts'

/**
 * The documentation for partners: the API reference at `/docs`, which `reference` renders, a page for each file of
 * `docs/partner/`, and the programs they refer to. Each page is rendered on its first request and kept from then on.
 */
export function docs(app: FastifyInstance, reference: () => string): void {
  const own = readFileSync(join(projectRoot, 'src/doors/api/docs/docs.css'), 'utf8')
  const assets = { style: serveFile(app, { name: 'docs.css', text: styleSheet(own) }), icon: serveFile(app, icon()) }
  const guides = readGuides()

  page(app, guidesPath, () => startPage(guides, assets))
  for (const guide of guides) page(app, `/docs/${guide.name}`, () => guidePage(guide, guides, assets))
  page(app, referencePath, () =>
    renderDocs({ title: 'Every call', html: reference(), here: referencePath, guides, sections: [], assets }),
  )
  search(app, { guides, reference, assets })
  servePictures(app)
  for (const { name, text } of readSamples()) {
    app.get(`/docs/samples/${name}`, (request, reply) =>
      sendKept(request, reply.type('text/plain; charset=utf-8'), keep(text)),
    )
  }
}

function page(app: FastifyInstance, path: string, make: () => string): void {
  const made = madeOnce(make)
  app.get(path, (request, reply) => sendKept(request, reply.type('text/html; charset=utf-8'), made()))
}

type Searched = { guides: readonly Guide[]; reference: () => string; assets: AssetPaths }

/** The search runs here: the pages need no script, and nothing is asked of anybody else. */
function search(app: FastifyInstance, { guides, reference, assets }: Searched): void {
  let known: Section[] | undefined
  const all = (): Section[] => [
    ...guides.flatMap(({ name, title, text }) =>
      sectionsOf({ href: `/docs/${name}`, title, html: renderMarkdown(text, linkFrom).html }),
    ),
    ...sectionsOf({ href: referencePath, title: 'Every call', html: reference() }),
  ]
  app.get<{ Querystring: { q?: string | string[] } }>(searchPath, (request, reply) => {
    known ??= all()
    const query = [request.query.q ?? ''].flat()[0]?.trim() ?? ''
    const html = renderFound(known, query)
    const text = renderDocs({ title: 'Search', html, here: searchPath, guides, sections: [], assets, query })
    return sendFresh(reply.type('text/html; charset=utf-8'), text)
  })
}

function startPage(guides: readonly Guide[], assets: AssetPaths): string {
  const items = guides.map(({ name, title, text }) => {
    const first = renderMarkdown(/^(?!#|<)\S[^]*?(?=\n\n)/m.exec(text)?.[0] ?? '', () => undefined).html
    return `<li><h2><a href="/docs/${name}">${escaped(title)}</a></h2>${first}</li>`
  })
  const calls = `<li><h2><a href="${referencePath}">Every call</a></h2><p>Each call with all of its fields, and real answers. For programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p></li>`
  const html = `<ul class="guides">${items.join('\n')}${calls}</ul>`
  return renderDocs({ title: 'Documentation', html, here: guidesPath, guides, sections: [], assets })
}

function guidePage(guide: Guide, guides: readonly Guide[], assets: AssetPaths): string {
  const { html, sections } = renderMarkdown(guide.text, linkFrom)
  return renderDocs({ title: guide.title, html, here: `/docs/${guide.name}`, guides, sections, assets })
}

/** A link of a file as its page has it. What lies outside of the partners' folder is not served, and is named only. */
function linkFrom(link: string): string | undefined {
  if (/^(https:\/\/|#)/.test(link)) return link
  if (/^samples\/[\w.-]+$/.test(link)) return `/docs/${link}`
  if (/^\.\.\/pictures\/[\w-]+\.webp$/.test(link)) return `/docs/${link.slice(3)}`
  const [, name, section = ''] = /^([\w-]+)\.md(#.*)?$/.exec(link) ?? []
  return name === undefined ? undefined : `/docs/${name}${section}`
}
