import type { Page, PageProps } from '../page.ts'
import { ProofLink, RefreshLink } from '../ui/links.tsx'

/** What has happened and what comes next, while nothing is asked of the customer. */
export function progressPage(props: PageProps): Page {
  const { visit, language } = props
  const { say, duration } = language
  const { view } = visit
  const network = view.to.network.name
  const usualMs = (view.to.network.chain?.blockSeconds ?? 60) * 1_000
  const isSent = view.status === 'sending'
  return {
    title: say('progress.title', { asset: view.to.asset.ticker }),
    body: (
      <>
        <p class="lead">{say('progress.lead')}</p>
        <ol class="way" aria-label={say('progress.label')}>
          <Stage state="past">{say('progress.paid')}</Stage>
          <Stage state="past">{say('progress.exchanged')}</Stage>
          <Stage state={isSent ? 'past' : 'now'}>{say('progress.sending', { network })}</Stage>
          <Stage state={isSent ? 'now' : 'next'}>{say('progress.arrived')}</Stage>
        </ol>
        <p class="hint">{say('progress.sendingHint', { network, time: duration(Math.max(usualMs, 60_000)) })}</p>
        <ProofLink {...props} />
        <RefreshLink {...props} />
      </>
    ),
  }
}

function Stage({ state, children }: { state: 'past' | 'now' | 'next'; children: string }) {
  return (
    <li class={state} {...(state === 'now' ? { 'aria-current': 'step' as const } : {})}>
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        {state === 'past' ? <path d="m6 12.5 4 4 8-9" /> : <circle cx="12" cy="12" r="4" />}
      </svg>
      {children}
    </li>
  )
}
