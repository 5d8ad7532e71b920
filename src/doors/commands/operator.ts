import { tokenJson } from '../../exchange/actions/team.ts'
import { listOperators } from '../../exchange/operators/operator.ts'
import { listTokens } from '../../exchange/operators/token.ts'
import type { Answer, Invocation } from './command.ts'

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
      tokens: tokens.filter(({ operatorId }) => operatorId === id).map(tokenJson),
    }))
    return { json }
  })
