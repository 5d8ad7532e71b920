import { verify } from '../../exchange/checks/verify.ts'
import type { Answer, Given } from './command.ts'

/** Checks everything that must always hold. Exits with 1 when something does not. */
export const verifyExchange = (given: Given): Promise<Answer> =>
  given.patientExchange(async (ctx) => {
    const problems = await verify(ctx)
    const ok = problems.length === 0
    const text = ok ? 'All is well.' : [...problems, `${problems.length} of these are wrong.`].join('\n')
    return { json: { ok, problems }, text, exitCode: ok ? 0 : 1 }
  })
