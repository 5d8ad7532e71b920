import { showRestored } from '../../exchange/operations/restore.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { shownAmount } from '../../exchange/actions/shown-amount.ts'

export const show = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const { halt, left, unsure } = await showRestored(ctx)
    const json = {
      restored: halt !== undefined,
      since: halt?.since.toISOString() ?? null,
      reason: halt?.reason ?? null,
      left: left.map(({ rail, key, asset, amount, at }) => ({ at, rail, key, ...shownAmount(asset, BigInt(amount)) })),
      may_have_left: unsure.map(({ id, public_id: order, rail, plan_key: key, asset, amount }) => ({
        payout: String(id),
        transaction_id: order === null ? null : String(order),
        rail,
        key,
        ...shownAmount(asset, amount),
      })),
    }
    return { json, text: layOut(json) }
  })
