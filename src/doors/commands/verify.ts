import { verify } from '../../exchange/checks/verify.ts'
import type { Answer, Invocation } from './command.ts'

/** Exits with 1 if `verify` finds a problem. */
export const verifyExchange = (input: Invocation): Promise<Answer> =>
  input.patientExchange(async (ctx) => {
    const problems = await verify(ctx)
    const ok = problems.length === 0
    const text = ok ? 'No problems found.' : [...problems, `Problems found: ${problems.length}.`].join('\n')
    return { json: { ok, problems }, text, exitCode: ok ? 0 : 1 }
  })
