import { listNeeds } from '../../exchange/needs/list-needs.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'

/** Lists what a person is needed for. */
export const listStuck = (input: Invocation): Promise<Answer> =>
  input.patientExchange(async (ctx) => {
    await ctx.markets.refresh()
    const json = (await listNeeds(ctx)).map((need) => ({
      kind: need.kind,
      cause: need.cause,
      subject: need.subject,
      urgency: need.urgency,
      stake_eur: need.stakeEurCents === null ? null : formatAmount(need.stakeEurCents, { decimals: 2 }),
      since: need.since.toISOString(),
      transaction_id: need.order === null ? null : String(need.order),
      words: need.sentence,
      page: need.page,
    }))
    return { json, text: json.length === 0 ? 'Nothing is stuck.' : layOut(json) }
  })
