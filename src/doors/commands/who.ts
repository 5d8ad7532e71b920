import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Operator, operatorSubject } from '../../exchange/operators/operator.ts'
import { operatorOfToken } from '../../exchange/operators/token.ts'
import { type Given, WrongUsage } from './command.ts'

/** How a command that acts for a person is told whose token it has; never as an argument, which other users can read. */
const tokenFlag = 'token-file'

/**
 * Runs `work` on the exchange, with who changes something as the audit names them: the operator whose token was given, else
 * the user of this machine. A token that is none, or is revoked, is refused: nobody acts by mistake as somebody else.
 */
export const withActor = <T>(given: Given, work: (ctx: Ctx, who: string) => Promise<T>): Promise<T> =>
  given.exchange(async (ctx) => {
    const operator = await operatorGiven(ctx, given)
    return work(ctx, operator ? operatorSubject(operator) : actor())
  })

/** The same for what only an operator may do, known by a token. */
export const withOperator = <T>(given: Given, work: (ctx: Ctx, operator: Operator) => Promise<T>): Promise<T> =>
  given.exchange(async (ctx) => {
    const operator = await operatorGiven(ctx, given)
    if (!operator) {
      const sentence = "This needs an operator's token, in OPERATOR_TOKEN or in the file of --token-file."
      throw new Refusal('INVALID_TOKEN', sentence)
    }
    return work(ctx, operator)
  })

async function operatorGiven(ctx: Ctx, { flags }: Given): Promise<Operator | undefined> {
  const file = flags[tokenFlag]
  const token = file === undefined ? ctx.config.operator.token : await contentsOf(file, `--${tokenFlag}`)
  return token === undefined ? undefined : operatorOfToken(ctx, token)
}

/** What stands in a file that a flag names, without the blanks and line ends around it. */
export async function contentsOf(file: string, what: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new WrongUsage(`${what} takes a file, and ${file || 'an empty name'} cannot be read${code}.`)
  }
}

/** Who changes something by the command line, as the audit names them: `cli:alice`. */
function actor(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // A container's user may have a number and no name.
    return `cli:uid-${process.getuid?.() ?? 'unknown'}`
  }
}
