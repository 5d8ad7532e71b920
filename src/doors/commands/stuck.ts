import { findStuck } from '../../exchange/checks/stuck.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'

/** Lists what has waited too long. */
export const listStuck = (input: Invocation): Promise<Answer> =>
  input.patientExchange(async (ctx) => {
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
