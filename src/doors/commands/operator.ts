import { createOperator, listOperators } from '../../exchange/operators/operator.ts'
import { createToken, listTokens, type OperatorToken, revokeToken } from '../../exchange/operators/token.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import type { Answer, Given } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { contentsOf, withActor } from './who.ts'

/** Makes an operator. A password that no file gives is made, and shown this once. */
export const create = async (given: Given): Promise<Answer> => {
  const [email = ''] = given.words
  const file = given.flags['password-file']
  const password = file === undefined ? randomToken(18) : await contentsOf(file, '--password-file')
  return withActor(given, async (ctx, who) => {
    const operator = await createOperator(ctx, { email, password }, who)
    const made = { id: String(operator.id), email: operator.email }
    if (file !== undefined) return { json: made }
    const json = { ...made, password }
    return { json, text: `${layOut(json)}\n\nKeep the password: it is not shown again.` }
  })
}

/** Lists the operators with their tokens. */
export const list = (given: Given): Promise<Answer> =>
  given.exchange(async (ctx) => {
    const [operators, tokens] = [await listOperators(ctx), await listTokens(ctx)]
    const json = operators.map(({ id, email, createdAt }) => ({
      id: String(id),
      email,
      created_at: createdAt.toISOString(),
      tokens: tokens.filter(({ operatorId }) => operatorId === id).map(shown),
    }))
    return { json }
  })

/** Makes a token for an operator, and shows its text. */
export const token = (given: Given): Promise<Answer> =>
  withActor(given, async (ctx, who) => {
    const made = await createToken(ctx, given.words[0] ?? '', who)
    const json = { id: String(made.token.id), token: made.text }
    return { json, text: `${layOut(json)}\n\nKeep the token: it is not shown again.` }
  })

/** Ends a token's life, and shows it. */
export const revoke = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  return withActor(given, async (ctx, who) => ({ json: shown(await revokeToken(ctx, id, who)) }))
}

const shown = ({ id, hint, createdAt, lastUsedAt, revokedAt }: OperatorToken) => ({
  id: String(id),
  ends_in: hint,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  revoked_at: revokedAt?.toISOString() ?? null,
})
