import type { ComponentChildren } from 'preact'

import type { Language } from '../language/language.ts'
import { renderDocument } from '../ui/document.tsx'
import type { AssetPaths } from './assets.ts'

/** Everything around a page of the checkout. */
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

/** A page of the checkout as a whole HTML document. */
export function renderFrame(props: FrameProps): string {
  const { title, order, language, assets, hasProblems = false, refreshSeconds } = props
  const whole = [title, order?.partnerName ?? 'Cambio'].join(' · ')
  return renderDocument({
    title: hasProblems ? `${language.say('frame.error')}: ${whole}` : whole,
    language,
    styles: [assets.style],
    scripts: [assets.form, assets.live],
    icon: assets.icon,
    refreshSeconds,
    children: <Frame {...props} />,
  })
}

function Frame({ language: { say }, order, isSandbox, children }: FrameProps) {
  return (
    <>
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
    </>
  )
}
