import type { ComponentChildren } from 'preact'

import type { Language } from '../../platform/language/language.ts'

/** One thing to hand over to a bank or a wallet: its name, the thing, and a button that copies it where scripts run. */
export function Give(props: {
  name: string
  /** The exact text to copy; undefined where there is nothing to copy. */
  copies?: string | undefined
  language: Language
  class?: string
  /** What to know about it. */
  hint?: string
  children: ComponentChildren
}) {
  const { name, copies, language, hint, children } = props
  return (
    <div class={`give ${props.class ?? ''}`.trim()}>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {copies === undefined ? null : (
        <dd class="copying">
          <CopyButton copies={copies} name={name} language={language} />
        </dd>
      )}
      {hint === undefined ? null : <dd class="hint">{hint}</dd>}
    </div>
  )
}

/** An amount that may wrap before its ticker, and nowhere else. */
export const breakable = (amount: string): string => amount.replace('\u00A0', ' ')

/** Shown by the script that makes it work; its place is kept. */
function CopyButton({ copies, name, language: { say } }: { copies: string; name: string; language: Language }) {
  return (
    <button type="button" class="copy" data-copy={copies} data-done={say('copy.copied')}>
      <span>{say('copy.copy')}</span> <span class="visually-hidden">{name}</span>
    </button>
  )
}
