import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { Refusal } from '../../../platform/lib/refusal.ts'
import { projectRoot } from '../../../platform/lib/root.ts'
import { icon, scriptFile, serveFile, styleSheet } from '../../ui/serve-file.ts'
import type { Json } from '../openapi/write-shapes.ts'
import { callList, callParts, schemaList } from './call-page.ts'
import { type CallGroup, callPath, groupsOf, schemasPath } from './calls.ts'
import type { Schemas } from './fields.ts'
import { readGuides, readSamples } from './guides.ts'
import { renderMarkdown } from './markdown.ts'
import { type AssetPaths, type DocsPage, renderDocs, searchPath, startPath } from './page.tsx'
import { servePictures } from './pictures.ts'
import { renderFound, type Section, sectionsOf } from './search.ts'
import { type CachedText, keep, sendFresh, sendKept } from './send-kept.ts'
import { escaped, said } from './text.ts'

/** What the documentation is made from. */
export type DocsSource = {
  /** Makes the OpenAPI document; called on the first request. */
  document: () => Json
  /** Where readers on this machine get test keys, so that pages can make calls; undefined where there are none. */
  keysPath: string | undefined
}

/** A page that search finds, too. */
type PageText = Pick<DocsPage, 'title' | 'html' | 'here'> & Partial<Pick<DocsPage, 'aside' | 'sections'>>

/**
 * The documentation for partners: a page for each file of `docs/partner/`, for each call and event of the interface, and for its
 * schemas, and the programs that the guides refer to. All are rendered on the first request and kept from then on.
 */
export function docs(app: FastifyInstance, source: DocsSource): void {
  const own = readFileSync(join(projectRoot, 'src/doors/api/docs/docs.css'), 'utf8')
  const assets = {
    style: serveFile(app, { name: 'docs.css', text: styleSheet(own) }),
    icon: serveFile(app, icon()),
    script: serveFile(app, scriptFile(fileURLToPath(new URL('islands', import.meta.url)), 'docs.js')),
  }
  let made: Library | undefined
  const library = (): Library => (made ??= makeLibrary(source, assets))

  const send = (path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const page = library().pages.get(path)
    if (!page) throw new Refusal('NOT_FOUND', 'There is nothing under this address.')
    return sendKept(request, reply.type('text/html; charset=utf-8'), page)
  }
  for (const path of [startPath, ...readGuides().map(({ name }) => `${startPath}/${name}`)])
    app.get(path, (request, reply) => send(path, request, reply))
  app.get<{ Params: { id: string } }>(callPath(':id'), (request, reply) =>
    send(callPath(request.params.id), request, reply),
  )
  app.get<{ Querystring: { q?: string | string[] } }>(searchPath, (request, reply) => {
    const query = [request.query.q ?? ''].flat()[0]?.trim() ?? ''
    return sendFresh(reply.type('text/html; charset=utf-8'), library().search(query))
  })
  servePictures(app)
  for (const { name, text } of readSamples()) {
    app.get(`${startPath}/samples/${name}`, (request, reply) =>
      sendKept(request, reply.type('text/plain; charset=utf-8'), keep(text)),
    )
  }
}

type Library = { pages: ReadonlyMap<string, CachedText>; search: (query: string) => string }

function makeLibrary({ document, keysPath }: DocsSource, assets: AssetPaths): Library {
  const whole = document()
  const { schemas } = whole.components as { schemas: Schemas }
  const [{ url: origin } = { url: '' }] = whole.servers as { url: string }[]
  const guides = readGuides()
  const groups = groupsOf(whole)
  const render = (page: PageText & { query?: string }): string =>
    renderDocs({ sections: [], ...page, contents: { guides, groups }, assets, keysPath })
  const made: PageText[] = [
    ...guides.map(({ name, title, text }) => ({
      title,
      here: `${startPath}/${name}`,
      ...renderMarkdown(text, linkFrom),
    })),
    ...groups.flatMap(({ calls }) =>
      calls.map((call) => ({
        title: call.operation.summary,
        here: callPath(call.id),
        ...callParts(call, { schemas, origin, isSandbox: keysPath !== undefined }),
      })),
    ),
    { title: 'Schemas', here: schemasPath, html: schemaList(schemas) },
  ]
  const start: PageText = { title: 'Documentation', here: startPath, html: startText(guides, groups, whole) }
  const sections: Section[] = made.flatMap(({ here, title, html }) => sectionsOf({ href: here, title, html }))
  return {
    pages: new Map([start, ...made].map((page) => [page.here, keep(render(page))])),
    search: (query) => render({ title: 'Search', here: searchPath, html: renderFound(sections, query), query }),
  }
}

function startText(guides: ReturnType<typeof readGuides>, groups: readonly CallGroup[], document: Json): string {
  const items = guides.map(({ name, title, text }) => {
    const first = renderMarkdown(/^(?!#|<)\S[^]*?(?=\n\n)/m.exec(text)?.[0] ?? '', () => undefined).html
    return `<li><h2><a href="${startPath}/${name}">${escaped(title)}</a></h2>${first}</li>`
  })
  const { description } = document.info as { description: string }
  return `<ul class="guides">${items.join('\n')}</ul>
<h2 id="interface">The API</h2>
${said(description)}
<p>The same for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>
${callList(groups)}`
}

/** A link of a file as its page has it. What lies outside of the partners' folder is not served, and is named only. */
function linkFrom(link: string): string | undefined {
  if (/^(https:\/\/|#)/.test(link)) return link
  if (/^samples\/[\w.-]+$/.test(link)) return `/docs/${link}`
  if (/^\.\.\/pictures\/[\w-]+\.webp$/.test(link)) return `/docs/${link.slice(3)}`
  const [, name, section = ''] = /^([\w-]+)\.md(#.*)?$/.exec(link) ?? []
  return name === undefined ? undefined : `/docs/${name}${section}`
}
