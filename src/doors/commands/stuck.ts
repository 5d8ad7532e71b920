import { findStuck } from '../../exchange/checks/stuck.ts'
import type { Answer } from './command.ts'
import { layOut } from './layout.ts'
import { withAllTime } from '../../app/commands/reach.ts'

/** Lists what has waited longer than it should. */
export const listStuck = (): Promise<Answer> =>
  withAllTime(async (ctx) => {
    const json = (await findStuck(ctx)).map(({ what, state, id, transactionId, since, waitsFor }) => ({
      what,
      state,
      id,
      transaction_id: transactionId === null ? null : String(transactionId),
      since: since.toISOString(),
      waits_for: waitsFor,
    }))
    return { json, text: json.length === 0 ? 'Nothing is stuck.' : layOut(json) }
  })
