import { type CustodyBalance, listBalances } from '../../exchange/treasury/balances.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Answer, Invocation, Json } from './command.ts'
import { layOut } from './layout.ts'
import { shownAmount } from '../../exchange/actions/shown-amount.ts'

/** Lists the balances of all custody accounts. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = await shownBalances(ctx)
    return { json, text: json.length === 0 ? 'No custody account has a balance.' : layOut(json) }
  })

/** The balances as commands print them. */
export const shownBalances = async (ctx: Ctx): Promise<readonly Json[]> => (await listBalances(ctx)).map(shown)

function shown({ account, asset, balance, reserved, incoming, outgoing, available }: CustodyBalance): Json {
  const text = (amount: bigint): string => shownAmount(asset, amount).amount
  return {
    account,
    asset,
    balance: text(balance),
    reserved: text(reserved),
    on_its_way: text(incoming + outgoing),
    available: text(available),
    incoming: text(incoming),
    outgoing: text(outgoing),
  }
}
