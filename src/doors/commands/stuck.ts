import { findStuck } from '../../exchange/checks/stuck.ts'
import type { Answer, Given } from './command.ts'
import { layOut } from './layout.ts'

/** Lists what has waited longer than it should. */
export const listStuck = (given: Given): Promise<Answer> =>
  given.patientExchange(async (ctx) => {
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
