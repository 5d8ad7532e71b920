import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

import type { Language } from '../../platform/language/language.ts'
import type { Sheet } from './serve-file.ts'

/** Everything around the body of a page. */
export type DocumentProps = {
  /** The page's own title, in full. */
  title: string
  language: Language
  /** The styles: brought by the page itself, whose policy has to allow them, or the path of their file. */
  styles: Sheet | string
  /** Paths of scripts, which run as modules. These leave the line to the rest: a page is whole without. */
  scripts: readonly string[]
  icon: string
  /** The scheme that is asked for; undefined: the one that the reader's device has. */
  theme?: 'light' | 'dark' | undefined
  children: ComponentChildren
}

/** A whole HTML document, in the reader's language and direction. */
export const renderDocument = (props: DocumentProps): string =>
  `<!doctype html>\n${renderToString(<Document {...props} />)}`

/** A part of a page, to be put into one that is shown already. */
export const renderPart = (part: VNode): string => renderToString(part)

/** Known to browsers (HTML standard, 2.5.8), not yet to the types of scripts. */
const unhurried = { fetchpriority: 'low' }

function Document(props: DocumentProps) {
  const { title, language, styles, scripts, icon, theme, children } = props
  return (
    <html lang={language.tag} dir={language.direction} {...(theme === undefined ? {} : { 'data-theme': theme })}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        {typeof styles === 'string' ? (
          <link rel="stylesheet" href={styles} />
        ) : (
          <style dangerouslySetInnerHTML={{ __html: styles.text }} />
        )}
        <link rel="icon" href={icon} type="image/svg+xml" />
        {scripts.map((path) => (
          <script key={path} type="module" src={path} {...unhurried}></script>
        ))}
      </head>
      <body>{children}</body>
    </html>
  )
}
