import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'

import type { Language } from '../language/language.ts'

/** Everything around the body of a page. */
export type DocumentProps = {
  /** The page's own title, in full. */
  title: string
  language: Language
  /** Paths of style sheets and of scripts, which run as modules. */
  styles: readonly string[]
  scripts: readonly string[]
  icon: string
  /** Seconds until the page is loaded anew where no script does it; undefined where nothing is waited for. */
  refreshSeconds?: number | undefined
  /** The scheme that is asked for; undefined: the one that the reader's device has. */
  theme?: 'light' | 'dark' | undefined
  children: ComponentChildren
}

/** A whole HTML document, in the reader's language and direction. */
export const renderDocument = (props: DocumentProps): string =>
  `<!doctype html>\n${renderToString(<Document {...props} />)}`

function Document(props: DocumentProps) {
  const { title, language, styles, scripts, icon, refreshSeconds, theme, children } = props
  return (
    <html lang={language.tag} dir={language.direction} {...(theme === undefined ? {} : { 'data-theme': theme })}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        {styles.map((path) => (
          <link key={path} rel="stylesheet" href={path} />
        ))}
        <link rel="icon" href={icon} type="image/svg+xml" />
        {scripts.map((path) => (
          <script key={path} type="module" src={path}></script>
        ))}
        {refreshSeconds === undefined ? null : (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
      </head>
      <body>{children}</body>
    </html>
  )
}
