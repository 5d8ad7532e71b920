import { hedgeJson } from '../../exchange/actions/hedges.ts'
import { listHedges } from '../../exchange/treasury/decide-hedge.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'

/** Lists hedges. */
export const list = (input: Invocation): Promise<Answer> => {
  const open = input.flags.open !== undefined
  return input.exchange(async (ctx) => {
    const json = (await listHedges(ctx, open)).map((hedge) => hedgeJson(ctx, hedge))
    return { json, text: json.length === 0 ? 'There is no hedge.' : layOut(json) }
  })
}
