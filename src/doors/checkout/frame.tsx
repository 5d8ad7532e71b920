import type { ComponentChildren } from 'preact'

import { type Language, languageOf } from '../../platform/language/language.ts'
import { renderDocument } from '../ui/document.tsx'
import type { ShownTheme } from '../ui/serve-theme.ts'
import type { Assets } from './assets.ts'
import type { Notices } from './notices.ts'

/** Everything around a page of the checkout. */
export type FrameProps = {
  title: string
  language: Language
  assets: Assets
  notices: Notices
  /** Of the order, where there is one: whose it is, as the account is called and as its pages look. */
  order?: { partnerName: string; publicId: bigint } | undefined
  look?: Look | undefined
  /** The same page in the other languages, by their tags. */
  translations?: ReadonlyMap<string, string> | undefined
  hasProblems?: boolean
  children: ComponentChildren
}

/** What an account's theme makes of its pages. */
export type Look = ShownTheme & { name: string | undefined }

/** A page of the checkout as a whole HTML document. */
export function renderFrame(props: FrameProps): string {
  const { title, order, look, language, assets, hasProblems = false } = props
  const whole = [title, look?.name ?? order?.partnerName ?? 'Cambio'].join(' · ')
  return renderDocument({
    title: hasProblems ? `${language.say('layout.error')}: ${whole}` : whole,
    language,
    styles: look?.sheet ?? assets.sheet,
    scripts: [assets.script],
    icon: assets.icon,
    children: <Frame {...props} />,
  })
}

function Frame({ language, order, look, translations, notices, children }: FrameProps) {
  const { say } = language
  return (
    <>
      <header class="top">
        {order === undefined ? null : <Whose name={look?.name ?? order.partnerName} logo={look?.logo} />}
        <p class="by">{say('layout.by')}</p>
      </header>
      <div class="columns">{children}</div>
      <footer class="bottom">
        {order === undefined ? null : <p>{say('layout.order', { order: String(order.publicId) })}</p>}
        {notices.footer ? <p>{notices.footer(language)}</p> : null}
        {translations === undefined ? null : <Languages translations={translations} label={say('layout.language')} />}
      </footer>
      <p id="live" role="status" class="visually-hidden"></p>
    </>
  )
}

/** Each language by its own name, to be read by whoever reads no other. */
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

/** Whose pages these are: the logo, or the first letter, and the name. */
function Whose({ name, logo }: { name: string; logo: string | undefined }) {
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
