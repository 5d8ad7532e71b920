import type { Language } from '../../../platform/language/language.ts'
import type { Step } from '../step.ts'
import { checkoutSteps } from '../steps.ts'

const phases = ['details', 'payment', 'delivery'] as const

/** The progress bar. */
export function Phases({ step, language: { say } }: { step: Step; language: Language }) {
  const current = checkoutSteps[step].phase
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
