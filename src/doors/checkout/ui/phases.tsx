import type { Language } from '../../../platform/language/language.ts'
import { phaseOf, type Step } from '../step.ts'

const phases = ['details', 'payment', 'delivery'] as const

/** How far the customer has come. */
export function Phases({ step, language: { say } }: { step: Step; language: Language }) {
  const current = phaseOf(step)
  if (current === undefined) return null
  const reached = phases.indexOf(current)
  const isDone = (at: number): boolean => at < reached || step === 'done'
  return (
    <ol class="phases" aria-label={say('phase.label')}>
      {phases.map((phase, at) => (
        <li
          key={phase}
          class={at <= reached ? 'reached' : undefined}
          {...(at === reached ? { 'aria-current': 'step' as const } : {})}
        >
          {say(`phase.${phase}`)} {isDone(at) ? <span class="visually-hidden">{say('phase.done')}</span> : null}
        </li>
      ))}
    </ol>
  )
}
