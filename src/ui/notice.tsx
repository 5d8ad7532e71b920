import type { ComponentChildren } from 'preact'

import type { Language } from '../language/language.ts'
import type { ShownProblem } from './problem.ts'

/** Everything that is wrong, on top of the page, each with a way to its field. A script moves the focus here. */
export function Problems({ problems, language: { say } }: { problems: ShownProblem[]; language: Language }) {
  if (problems.length === 0) return null
  return (
    <div class="notice bad" role="alert" tabindex={-1} data-focus>
      <h2>{say('problems.title')}</h2>
      <ul>
        {problems.map(({ field, text }) => (
          <li key={text}>{field === '' ? text : <a href={`#${field}`}>{text}</a>}</li>
        ))}
      </ul>
    </div>
  )
}

/** Something to know before going on. */
export function Notice({ kind, children }: { kind: 'good' | 'bad' | 'plain'; children: ComponentChildren }) {
  return <div class={`notice ${kind}`}>{children}</div>
}
