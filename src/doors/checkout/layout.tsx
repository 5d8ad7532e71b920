import type { ComponentChildren } from 'preact'

import { type Language, languageOf } from '../../platform/language/language.ts'
import { CompanyLines } from '../ui/company.tsx'
import { renderDocument } from '../ui/document.tsx'
import type { ShownTheme } from '../ui/serve-theme.ts'
import type { Assets } from './assets.ts'
import type { Legal } from './legal.ts'
import type { Notices } from './notices.ts'

/** What is around a page of the checkout. */
export type LayoutProps = {
  title: string
  language: Language
  assets: Assets
  notices: Notices
  /** The order, if there is one. */
  order?: { partnerName: string; publicId: bigint } | undefined
  look?: Look | undefined
  /** The same page in other languages, by tag. */
  translations?: ReadonlyMap<string, string> | undefined
  /** Where the terms and the privacy notice are. */
  legal: Pick<Legal, 'termsUrl' | 'privacyUrl'>
  hasProblems?: boolean
  /** The path of a script that this page needs in addition. */
  script?: string | undefined
  children: ComponentChildren
}

/** The partner's theme. */
export type Look = ShownTheme & { name: string | undefined }

/** A page of the checkout as a whole HTML document. */
export function renderLayout(props: LayoutProps): string {
  const { title, order, look, language, assets, hasProblems = false, script } = props
  const whole = [title, look?.name ?? order?.partnerName ?? 'Cambio'].join(' · ')
  return renderDocument({
    title: hasProblems ? `${language.say('layout.error')}: ${whole}` : whole,
    language,
    styles: look?.sheet ?? assets.sheet,
    scripts: script === undefined ? [assets.script] : [assets.script, script],
    icon: assets.icon,
    children: <Layout {...props} />,
  })
}

function Layout({ language, order, look, translations, notices, legal, children }: LayoutProps) {
  const { say } = language
  return (
    <>
      <header class="top">
        {order === undefined ? null : <Brand name={look?.name ?? order.partnerName} logo={look?.logo} />}
        <p class="by">{say('layout.by')}</p>
      </header>
      <div class="columns">{children}</div>
      <footer class="bottom">
        {order === undefined ? null : <p>{say('layout.order', { order: String(order.publicId) })}</p>}
        {notices.footer ? <p>{notices.footer(language)}</p> : null}
        <CompanyLines company={notices.company} />
        <p class="legal">
          <a href={legal.termsUrl}>{say('legal.terms.title')}</a>{' '}
          <a href={legal.privacyUrl}>{say('legal.privacy.title')}</a>
        </p>
        {translations === undefined ? null : <Languages translations={translations} label={say('layout.language')} />}
      </footer>
      <p id="live" role="status" class="visually-hidden"></p>
    </>
  )
}

/** Links to the other languages, each by its own name. */
function Languages({ translations, label }: { translations: ReadonlyMap<string, string>; label: string }) {
  return (
    <nav class="languages" aria-label={label}>
      <ul>
        {[...translations].map(([tag, href]) => {
          const { name, direction } = languageOf(tag)
          return (
            <li key={tag}>
              <a href={href} lang={tag} hreflang={tag} dir={direction}>
                {name}
              </a>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** The partner's name, with its logo or first letter. */
function Brand({ name, logo }: { name: string; logo: string | undefined }) {
  return (
    <p class="partner">
      {logo === undefined ? (
        <span class="mark" aria-hidden="true">
          {[...name][0]}
        </span>
      ) : (
        <img class="logo" src={logo} alt="" height={36} />
      )}
      {name}
    </p>
  )
}
