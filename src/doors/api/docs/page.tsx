import { languageOf } from '../../../platform/language/language.ts'
import { renderDocument } from '../../ui/document.tsx'
import type { Guide } from './guides.ts'
import type { Heading } from './markdown.ts'

/** The paths of the documentation's own files. */
export type AssetPaths = { style: string; icon: string }

/** A page of the documentation. `html` is markup of ours: rendered from our own files, never from what anybody sent. */
export type DocsPage = {
  title: string
  html: string
  /** The page's own address. */
  here: string
  guides: readonly Pick<Guide, 'name' | 'title'>[]
  sections: readonly Heading[]
  assets: AssetPaths
  /** What was searched for. */
  query?: string
}

/** Where the reference of every call is. */
export const referencePath = '/docs'

/** Where the documentation is searched. */
export const searchPath = '/docs/search'

/** Where the guides begin. */
export const guidesPath = '/docs/guides'

/** The pages of the documentation, in order: the first is where it begins. */
const placesOf = (guides: DocsPage['guides']) => [
  { href: guidesPath, title: 'Documentation' },
  ...guides.map(({ name, title }) => ({ href: `/docs/${name}`, title })),
  { href: referencePath, title: 'Every call' },
]

/** A whole page: the list of guides, the sections of this one, its text and a link to the next. In English only. */
export function renderDocs(page: DocsPage): string {
  const { title, assets } = page
  return renderDocument({
    title: title === 'Documentation' ? 'Cambio · Documentation' : `${title} · Cambio`,
    language: languageOf('en'),
    styles: assets.style,
    scripts: [],
    icon: assets.icon,
    children: <Frame {...page} />,
  })
}

function Frame(page: DocsPage) {
  const { title, html, here, guides, sections, query } = page
  const places = placesOf(guides)
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
        <a href="/openapi.json">OpenAPI 3.1</a>
      </header>
      <div class="docs">
        <nav class="places" aria-label="Documentation">
          <ul>
            {places.map((place) => (
              <li key={place.href}>
                <a href={place.href} {...(place.href === here ? { 'aria-current': 'page' as const } : {})}>
                  {place.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="text" tabindex={-1}>
          <h1>{title}</h1>
          <Sections sections={sections} />
          <div class="text" dangerouslySetInnerHTML={{ __html: html }} />
          {next === undefined ? null : (
            <p class="next">
              Next: <a href={next.href}>{next.title}</a>
            </p>
          )}
        </main>
      </div>
    </>
  )
}

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
