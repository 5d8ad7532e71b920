import { examine } from '../../exchange/checks/doctor.ts'
import type { Answer, Invocation } from './command.ts'
import { columns } from './layout.ts'

/** Exits with 1 if a check fails. */
export const examineExchange = (input: Invocation): Promise<Answer> =>
  input.patientExchange(async (ctx) => {
    const { mail } = input.flags
    const checks = await examine(ctx, mail === undefined ? {} : { mailTo: mail })
    const problems = checks.flatMap(({ check, state, message }) => (state === 'fail' ? [{ check, message }] : []))
    const ok = problems.length === 0
    const verdict = ok ? 'No problems found.' : `Problems found: ${problems.length}.`
    const table = columns([
      ['CHECK', 'STATE', ''],
      ...checks.map(({ check, state, message }) => [check, state, message]),
    ])
    return { json: { ok, problems, checks }, text: `${table}\n\n${verdict}`, exitCode: ok ? 0 : 1 }
  })
