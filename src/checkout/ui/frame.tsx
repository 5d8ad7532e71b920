import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'

import type { AssetPaths } from '../assets.ts'
import type { Language } from '../../language/language.ts'

/** Everything around a page. */
export type FrameProps = {
  title: string
  language: Language
  assets: AssetPaths
  isSandbox: boolean
  /** Of the order, where there is one. */
  order?: { partnerName: string; publicId: bigint } | undefined
  hasProblems?: boolean
  /** Seconds until the page is loaded anew where no script does it; undefined where nothing is waited for. */
  refreshSeconds?: number | undefined
  children: ComponentChildren
}

/** A whole HTML document. */
export const renderDocument = (props: FrameProps): string => `<!doctype html>\n${renderToString(<Frame {...props} />)}`

function Frame(props: FrameProps) {
  const { language, order, isSandbox, children } = props
  const { say } = language
  return (
    <html lang={language.tag} dir={language.direction}>
      <Head {...props} />
      <body>
        <header class="top">
          {order === undefined ? null : (
            <p class="partner">
              <span class="mark" aria-hidden="true">
                {[...order.partnerName][0]}
              </span>
              {order.partnerName}
            </p>
          )}
          <p class="by">{say('frame.by')}</p>
        </header>
        <div class="columns">{children}</div>
        <footer class="bottom">
          {order === undefined ? null : <p>{say('frame.order', { order: String(order.publicId) })}</p>}
          {isSandbox ? <p>{say('frame.sandbox')}</p> : null}
        </footer>
        <p id="live" role="status" class="visually-hidden"></p>
      </body>
    </html>
  )
}

function Head({ title, order, language, assets, hasProblems = false, refreshSeconds }: FrameProps) {
  const whole = [title, order?.partnerName ?? 'Cambio'].join(' · ')
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>{hasProblems ? `${language.say('frame.error')}: ${whole}` : whole}</title>
      <link rel="stylesheet" href={assets.style} />
      <link rel="icon" href={assets.icon} type="image/svg+xml" />
      <script type="module" src={assets.form}></script>
      <script type="module" src={assets.live}></script>
      {refreshSeconds === undefined ? null : (
        <noscript>
          <meta http-equiv="refresh" content={String(refreshSeconds)} />
        </noscript>
      )}
    </head>
  )
}
