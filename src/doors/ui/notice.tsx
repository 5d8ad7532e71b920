import type { ComponentChildren } from 'preact'

import type { Language } from '../../platform/language/language.ts'
import type { ShownProblem } from './problem.ts'

/** All problems at the top of the page, each linked to its field. They get the focus, with or without scripts. */
export function Problems({ problems, language: { say } }: { problems: ShownProblem[]; language: Language }) {
  if (problems.length === 0) return null
  return (
    <div class="notice bad" role="alert" tabindex={-1} autofocus data-focus>
      {problems.some(({ field }) => field !== '') ? <h2>{say('problems.title')}</h2> : null}
      <ul>
        {problems.map(({ field, text }) => (
          <li key={text}>{field === '' ? text : <a href={`#${field}`}>{text}</a>}</li>
        ))}
      </ul>
    </div>
  )
}

/** A notice. `isAnswer`: it responds to what was just sent, so it gets the focus and is announced. */
export function Notice(props: { kind: 'good' | 'bad' | 'plain'; isAnswer?: boolean; children: ComponentChildren }) {
  const { kind, isAnswer = false, children } = props
  const heard = isAnswer ? { role: 'alert' as const, tabindex: -1, autofocus: true } : {}
  return (
    <div class={`notice ${kind}`} {...heard}>
      {children}
    </div>
  )
}
