import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'

import type { Ctx } from '../../exchange/context.ts'
import { withOrigin } from '../../exchange/audit/origin.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Operator, operatorSubject } from '../../exchange/operators/operator.ts'
import { type Permission, permissionsOf } from '../../exchange/operators/roles.ts'
import { signWith, type Sign } from '../../exchange/approvals/signature.ts'
import { operatorOfKey } from '../../exchange/operators/operator-keys.ts'
import { operatorOfToken } from '../../exchange/operators/token.ts'
import { type Invocation, WrongUsage } from './command.ts'

/** The token comes in a file, never as an argument: other users of the machine can read arguments. */
const tokenFlag = 'token-file'

/**
 * Runs `work` with the actor for the audit: the operator whose token was given, else this machine's user. Refuses an invalid or
 * revoked token, so that a person can't act as somebody else by mistake, and an operator whose role lacks the permission.
 */
export const withActor = <T>(
  input: Invocation,
  permission: Permission,
  work: (ctx: Ctx, who: string, operator: Operator | undefined) => Promise<T>,
): Promise<T> =>
  input.exchange(async (ctx) => {
    const operator = await operatorGiven(ctx, input, permission)
    return withOrigin(actor(), () => work(ctx, operator ? operatorSubject(operator) : actor(), operator))
  })

/** Signs with the private key in the file of `--key`; undefined without one. */
export async function signOf({ flags: { key: file } }: Pick<Invocation, 'flags'>): Promise<Sign | undefined> {
  return file === undefined ? undefined : signWith(await contentsOf(file, '--key'))
}

async function operatorGiven(ctx: Ctx, { flags }: Invocation, permission: Permission): Promise<Operator | undefined> {
  const file = flags[tokenFlag]
  const token = file === undefined ? ctx.config.operator.token : await contentsOf(file, `--${tokenFlag}`)
  const sign = await signOf({ flags })
  if (token === undefined && !sign) return undefined
  // Who has the private key of an operator needs no token besides.
  const operator = token === undefined ? await operatorOfKey(ctx, sign) : await operatorOfToken(ctx, token)
  if (permissionsOf[operator.role].has(permission)) return operator
  throw new Refusal('FORBIDDEN', `Your role, ${operator.role}, does not include this: it needs ${permission}.`)
}

/** The trimmed contents of a file that a flag or setting names. */
export async function contentsOf(file: string, what: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new WrongUsage(`${what} needs a readable file; ${file || 'the empty name'} cannot be read${code}.`)
  }
}

/** This machine's user in the audit: `cli:alice`. */
function actor(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // A container's user may have a number and no name.
    return `cli:uid-${process.getuid?.() ?? 'unknown'}`
  }
}
