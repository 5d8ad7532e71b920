import { rebalanceJson } from '../../exchange/actions/rebalances.ts'
import { listRebalances } from '../../exchange/treasury/move-money.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'

/** Lists transfers between custody accounts. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = (await listRebalances(ctx)).map(rebalanceJson)
    return { json, text: json.length === 0 ? 'There is no transfer.' : layOut(json) }
  })
