import type { ComponentChildren } from 'preact'

import type { Language } from '../../platform/language/language.ts'
import type { ShownProblem } from './problem.ts'

/** Everything that is wrong, on top of the page, each with a way to its field. The focus comes here, with scripts or without. */
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

/** Something to know before going on. `isAnswer`: it answers what was just sent, so it has the focus and is read out. */
export function Notice(props: { kind: 'good' | 'bad' | 'plain'; isAnswer?: boolean; children: ComponentChildren }) {
  const { kind, isAnswer = false, children } = props
  const heard = isAnswer ? { role: 'alert' as const, tabindex: -1, autofocus: true } : {}
  return (
    <div class={`notice ${kind}`} {...heard}>
      {children}
    </div>
  )
}
