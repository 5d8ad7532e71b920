import {
  changeRole,
  createOperator,
  disableOperator,
  listOperators,
  type Operator,
} from '../../exchange/operators/operator.ts'
import { createToken, listTokens, type OperatorToken, revokeToken } from '../../exchange/operators/token.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { contentsOf, withActor } from './who.ts'

/** Without a password file a password is generated and shown once. */
export const create = async (input: Invocation): Promise<Answer> => {
  const [email = ''] = input.args
  const { role, name, 'password-file': file } = input.flags
  const password = file === undefined ? randomToken(18) : await contentsOf(file, '--password-file')
  return withActor(input, 'team.manage', async (ctx, who) => {
    const operator = await createOperator(ctx, { email, password, role, name }, who)
    const made = { id: String(operator.id), email: operator.email, role: operator.role }
    if (file !== undefined) return { json: made }
    const json = { ...made, password }
    return { json, text: `${layOut(json)}\n\nSave this password. It is not shown again.` }
  })
}

export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const [operators, tokens] = [await listOperators(ctx), await listTokens(ctx)]
    const json = operators.map(({ id, email, name, role, createdAt, disabledAt }) => ({
      id: String(id),
      email,
      name,
      role,
      disabled_at: disabledAt?.toISOString() ?? null,
      created_at: createdAt.toISOString(),
      tokens: tokens.filter(({ operatorId }) => operatorId === id).map(shown),
    }))
    return { json }
  })

/** Gives an operator another role. */
export const role = (input: Invocation): Promise<Answer> => {
  const [email = '', wanted = ''] = input.args
  return withActor(input, 'team.manage', async (ctx, who) => ({
    json: changed(await changeRole(ctx, email, wanted, who)),
  }))
}

/** Ends an operator's access. */
export const disable = (input: Invocation): Promise<Answer> => {
  const [email = ''] = input.args
  return withActor(input, 'team.manage', async (ctx, who) => ({
    json: changed(await disableOperator(ctx, email, who)),
  }))
}

const changed = ({ email, role: now, disabledAt }: Operator) => ({
  email,
  role: now,
  disabled_at: disabledAt?.toISOString() ?? null,
})

/** Shows the token's text, once. */
export const token = (input: Invocation): Promise<Answer> =>
  withActor(input, 'team.manage', async (ctx, who) => {
    const made = await createToken(ctx, input.args[0] ?? '', who)
    const json = { id: String(made.token.id), token: made.text }
    return { json, text: `${layOut(json)}\n\nSave this token. It is not shown again.` }
  })

export const revoke = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withActor(input, 'team.manage', async (ctx, who) => ({ json: shown(await revokeToken(ctx, id, who)) }))
}

const shown = ({ id, hint, createdAt, lastUsedAt, revokedAt }: OperatorToken) => ({
  id: String(id),
  ends_in: hint,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  revoked_at: revokedAt?.toISOString() ?? null,
})
