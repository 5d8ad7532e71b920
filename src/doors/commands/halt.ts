import { halt, type HaltSubject, resume } from '../../exchange/settlement/halts.ts'
import type { Answer, Invocation } from './command.ts'
import { reasonOf } from './staff.ts'
import { withActor, withOperator } from './who.ts'

const subjectOf = (scope: HaltSubject['scope'], { args: [name = ''] }: Invocation): HaltSubject => ({ scope, name })
const textOf = ({ scope, name }: HaltSubject): string => (name === '' ? scope : `${scope} ${name}`)

/** Halts, and returns once no payment is being submitted any more. */
export const haltScope = (scope: HaltSubject['scope'], input: Invocation): Promise<Answer> => {
  const [subject, reason] = [subjectOf(scope, input), reasonOf(input)]
  return withActor(input, 'system.halt', async (ctx, actor) => {
    const { halt: made, underWay } = await halt(ctx, subject, { reason, actor })
    const json = {
      status: 'halted',
      scope,
      name: subject.name || null,
      since: made.since.toISOString(),
      reason: made.reason,
      under_way: underWay,
    }
    const left = underWay > 0 ? ` ${underWay} payments were being submitted before and may still leave.` : ''
    return { json, text: `Halted: ${textOf(subject)}.${left}` }
  })
}

/** Resumes as the operator whose token was given; the second, different one ends the halt. */
export const resumeScope = (scope: HaltSubject['scope'], input: Invocation): Promise<Answer> => {
  const [subject, reason] = [subjectOf(scope, input), reasonOf(input)]
  return withOperator(input, 'system.halt', async (ctx, operator) => {
    const { status } = await resume(ctx, subject, { reason, operator })
    const text = status === 'resumed' ? `Resumed: ${textOf(subject)}.` : 'Another operator must run the same command.'
    return { json: { status }, text }
  })
}
