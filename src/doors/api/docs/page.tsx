import { languageOf } from '../../../platform/language/language.ts'
import { renderDocument } from '../../ui/document.tsx'
import { callPath, type CallGroup, schemasPath } from './calls.ts'
import type { Guide } from './guides.ts'
import type { Heading } from './markdown.ts'

/** The paths of the documentation's own files. */
export type AssetPaths = { style: string; icon: string; script: string }

/** What all pages of the documentation lead to. */
export type Contents = { guides: readonly Pick<Guide, 'name' | 'title'>[]; groups: readonly CallGroup[] }

/** A page of the documentation. `html` and `aside` are markup of ours: rendered from our own files, never from what anybody sent. */
export type DocsPage = {
  title: string
  html: string
  /** Samples and answers, next to the text where there is room. */
  aside?: string
  /** The page's own address. */
  here: string
  contents: Contents
  sections: readonly Heading[]
  assets: AssetPaths
  /** What was searched for. */
  query?: string
  /** Where scripts learn the reader's test keys. */
  keysPath?: string | undefined
}

/** Where the documentation begins. */
export const startPath = '/docs'

/** Where the documentation is searched. */
export const searchPath = '/docs/search'

type Place = { href: string; title: string }

const guidesIn = ({ guides }: Contents): Place[] => [
  { href: startPath, title: 'Documentation' },
  ...guides.map(({ name, title }) => ({ href: `/docs/${name}`, title })),
]

const callsIn = ({ calls }: CallGroup): Place[] =>
  calls.map(({ id, isEvent, path, operation }) => ({ href: callPath(id), title: isEvent ? path : operation.summary }))

/** A whole page: the contents, the sections of this one, its text and a link to the next. In English only. */
export function renderDocs(page: DocsPage): string {
  const { title, assets } = page
  return renderDocument({
    title: title === 'Documentation' ? 'Cambio · Documentation' : `${title} · Cambio`,
    language: languageOf('en'),
    styles: assets.style,
    scripts: [assets.script],
    icon: assets.icon,
    children: <Frame {...page} />,
  })
}

function Frame(page: DocsPage) {
  const { title, html, aside, here, contents, sections, query, keysPath } = page
  const places = [...guidesIn(contents), ...contents.groups.flatMap(callsIn)]
  const next = places[places.findIndex(({ href }) => href === here) + 1]
  return (
    <>
      <a class="skip" href="#text">
        Skip to the text
      </a>
      <header class="docs-top">
        <a class="name" href="/">
          Cambio
        </a>
        <form role="search" action={searchPath}>
          <input type="search" name="q" value={query} aria-label="Search the documentation" />
          <button type="submit">Search</button>
        </form>
        <a class="to-places" href="#places">
          Contents
        </a>
        <a href="/openapi.json">OpenAPI 3.1</a>
      </header>
      <div class={aside === undefined ? 'docs' : 'docs with-aside'} data-keys={keysPath}>
        <main id="text" tabindex={-1}>
          <h1>{title}</h1>
          <Sections sections={sections} />
          <div class="text" dangerouslySetInnerHTML={{ __html: html }} />
          {aside === undefined ? null : (
            <section class="text samples" aria-label="Samples" dangerouslySetInnerHTML={{ __html: aside }} />
          )}
          {next === undefined ? null : (
            <p class="next">
              Next: <a href={next.href}>{next.title}</a>
            </p>
          )}
        </main>
        <Places contents={contents} here={here} />
      </div>
      <p id="live" role="status" class="hidden"></p>
    </>
  )
}

/** All pages. Of the calls, only the group of this page is unfolded. */
function Places({ contents, here }: Pick<DocsPage, 'contents' | 'here'>) {
  return (
    <nav class="places" id="places" aria-label="Documentation">
      <p>Guides</p>
      <PlaceList places={guidesIn(contents)} here={here} />
      <p>API</p>
      {contents.groups.map((group) => {
        const places = callsIn(group)
        return (
          <details key={group.tag} open={places.some(({ href }) => href === here)}>
            <summary>{group.tag}</summary>
            <PlaceList places={places} here={here} />
          </details>
        )
      })}
      <PlaceList places={[{ href: schemasPath, title: 'Schemas' }]} here={here} />
    </nav>
  )
}

const PlaceList = ({ places, here }: { places: readonly Place[]; here: string }) => (
  <ul>
    {places.map(({ href, title }) => (
      <li key={href}>
        <a href={href} {...(href === here ? { 'aria-current': 'page' as const } : {})}>
          {title}
        </a>
      </li>
    ))}
  </ul>
)

/** The table of contents of a long page. */
function Sections({ sections }: Pick<DocsPage, 'sections'>) {
  if (sections.length < 3) return null
  return (
    <details class="sections">
      <summary>On this page</summary>
      <ul>
        {sections.map(({ id, text }) => (
          <li key={id}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </details>
  )
}
