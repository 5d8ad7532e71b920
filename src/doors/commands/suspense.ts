import { type DebitToDecide, debitsToDecide } from '../../exchange/operations/own-money.ts'
import { listOwnMoneyRules } from '../../exchange/operations/own-money-rules.ts'
import type { Doubt } from '../../exchange/operations/doubts.ts'
import { listSuspense, type SuspenseMoney } from '../../exchange/operations/suspense.ts'
import type { Candidate } from '../../exchange/operations/suspense-candidates.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { shownAmount } from '../../exchange/actions/shown-amount.ts'

/** Lists money that arrived and belongs to no transaction, and money that left for no order of ours. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const [credits, debits] = await Promise.all([listSuspense(ctx), debitsToDecide(ctx)])
    const json = [...credits.map(shown), ...debits.map(shownDebit)]
    return { json, text: json.length === 0 ? 'No money is in suspense.' : layOut(json) }
  })

/** Lists the rules in force. */
export const listRules = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = (await listOwnMoneyRules(ctx)).map(({ id, asset, most, at, by, months, ...rule }) => ({
      id: String(id),
      ...rule,
      asset,
      most: shownAmount(asset, most).amount,
      booked_of: months,
      by,
      at: at.toISOString(),
    }))
    return { json, text: json.length === 0 ? 'There are no rules.' : layOut(json) }
  })

const shownCandidates = (candidates: readonly Candidate[]) =>
  candidates.map(({ transactionId, why }) => ({ transaction_id: String(transactionId), why }))

/** What money may be double of, and why it is not moved yet. */
const shownDoubt = ({ doubt, beyond }: { doubt: Doubt | undefined; beyond: string | undefined }) => ({
  may_be_double: doubt !== undefined && doubt.of.length > 0,
  double_of: (doubt?.of ?? []).map(({ payment, transactionId }) => ({
    payment,
    transaction_id: transactionId === undefined ? null : String(transactionId),
  })),
  waits_because: doubt?.why ?? beyond ?? null,
})

const shownDebit = ({
  payment,
  rail,
  asset,
  amount,
  party,
  reference,
  text,
  bookedOn,
  at,
  candidates,
  doubt,
  beyond,
}: DebitToDecide) => ({
  id: payment,
  rail,
  direction: 'out',
  ...shownAmount(asset, amount),
  payer: party.name,
  account: party.account,
  on_behalf_of: party.onBehalfOf,
  reference,
  text,
  booked_on: bookedOn || at.toISOString().slice(0, 10),
  ...shownDoubt({ doubt, beyond }),
  at: at.toISOString(),
  candidates: shownCandidates(candidates),
})

const shown = ({ id, rail, reference, asset, amount, at, details, candidates, doubt, beyond }: SuspenseMoney) => ({
  id: String(id),
  rail,
  direction: 'in',
  ...shownAmount(asset, amount),
  payer: details?.name ?? '',
  account: details?.account ?? '',
  on_behalf_of: details?.onBehalfOf ?? '',
  reference: reference || (details?.reference ?? ''),
  text: details?.text ?? '',
  booked_on: details?.bookedOn || at.toISOString().slice(0, 10),
  ...shownDoubt({ doubt, beyond }),
  at: at.toISOString(),
  candidates: shownCandidates(candidates),
})
