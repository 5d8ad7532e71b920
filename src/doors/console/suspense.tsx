import { newRuleActions, ownMoneyActions, ruleActions } from '../../exchange/actions/own-money.ts'
import type { Payer } from '../../rails/rail.ts'
import { suspenseActions } from '../../exchange/actions/suspense.ts'
import { type DebitToDecide, debitsToDecide } from '../../exchange/operations/own-money.ts'
import { listOwnMoneyRules } from '../../exchange/operations/own-money-rules.ts'
import type { Doubt } from '../../exchange/operations/doubts.ts'
import { listSuspense, type SuspenseMoney } from '../../exchange/operations/suspense.ts'
import type { Candidate } from '../../exchange/operations/suspense-candidates.ts'
import { Moment, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'
import { formsOf } from '../pages/actions.tsx'
import { group, type Visit } from './page.ts'
import { mayReadPayers, noteViews } from './views.ts'

/** What can be done with money without an order. */
export const suspenseGroups = [
  group(suspenseActions),
  group(ownMoneyActions),
  group(newRuleActions),
  group(ruleActions),
]

/** Money that came or left without an order, and what can be done with it. */
export async function suspensePart(visit: Visit) {
  const [suspense, debits] = await Promise.all([listSuspense(visit.ctx), debitsToDecide(visit.ctx)])
  if (suspense.length + debits.length > 0 && mayReadPayers(visit))
    await noteViews(visit, 'suspense.viewed', ['suspense'])
  const rows = [...suspense.map((one) => creditRow(visit, one)), ...debits.map((one) => debitRow(visit, one))]
  return (
    <section aria-labelledby="suspense">
      <h2 id="suspense">Money without an order</h2>
      <Table
        caption="Money without an order"
        columns={['Id', 'Rail', 'Way', 'Amount', 'Payer', 'Reference', 'Booked on', 'May be for', 'Reported', 'Decide']}
        empty="All money has an order."
        rows={await Promise.all(rows)}
      />
      {visit.may('money.resolve') ? await rulesPart(visit) : null}
    </section>
  )
}

const partsOf = (party: Payer | undefined) => [
  party?.name,
  party?.account,
  party?.onBehalfOf ? `on behalf of ${party.onBehalfOf}` : '',
]

/** Who paid, and what is written with it: not for everybody who sees money. */
const aboutPayer = (visit: Visit, ...parts: (string | undefined)[]) => {
  const isSeen = mayReadPayers(visit)
  return <span class="wrap">{isSeen ? parts.filter(Boolean).join(', ') || 'Not known' : ''}</span>
}

const named = (candidates: readonly Candidate[]): string =>
  candidates.map(({ transactionId, why }) => `${transactionId} (${why})`).join(', ')

/** What money may be double of, and what has to be done before it is moved; or why a rule leaves it to a person. */
const Doubtful = ({ doubt, beyond }: { doubt: Doubt | undefined; beyond: string | undefined }) => {
  if (!doubt) return beyond === undefined ? null : <p class="wrap">{beyond}</p>
  const of = doubt.of.map(({ payment, transactionId }) =>
    transactionId === undefined ? payment : `${payment} of order ${transactionId}`,
  )
  return (
    <p class="wrap">
      {of.length === 0 ? null : <strong>May be double of {of.join(', ')}. </strong>}
      {doubt.why}
    </p>
  )
}

const creditRow = async (visit: Visit, one: SuspenseMoney) => {
  const { id, rail, asset, amount, at, details, candidates, reference, doubt, beyond } = one
  return [
    String(id),
    rail,
    'In',
    <Worth asset={asset} amount={amount} />,
    aboutPayer(visit, ...partsOf(details)),
    aboutPayer(visit, reference, details?.reference, details?.text),
    details?.bookedOn ?? '',
    named(candidates),
    <Moment at={at} />,
    <>
      <Doubtful doubt={doubt} beyond={beyond} />
      {await formsOf(visit, suspenseActions, one, String(id))}
      {await formsOf(visit, ownMoneyActions, String(id), String(id))}
    </>,
  ]
}

const debitRow = async (
  visit: Visit,
  { payment, rail, asset, amount, at, party, reference, text, bookedOn, candidates, doubt, beyond }: DebitToDecide,
) => [
  payment,
  rail,
  'Out',
  <Worth asset={asset} amount={amount} />,
  aboutPayer(visit, ...partsOf(party)),
  aboutPayer(visit, reference, text),
  bookedOn,
  named(candidates),
  <Moment at={at} />,
  <>
    <Doubtful doubt={doubt} beyond={beyond} />
    {await formsOf(visit, ownMoneyActions, payment, payment)}
  </>,
]

async function rulesPart(visit: Visit) {
  const rules = await listOwnMoneyRules(visit.ctx)
  const rows = rules.map(async (one) => [
    one.direction,
    <span class="wrap">{[one.party, one.text].filter(Boolean).join(': ')}</span>,
    one.category,
    <Worth asset={one.asset} amount={one.most} />,
    one.every === 'month' ? 'Once a month' : 'Each time',
    await formsOf(visit, ruleActions, one.id, String(one.id)),
  ])
  return (
    <>
      {rules.length === 0 ? null : (
        <Table
          caption="Rules that book what repeats"
          columns={['Way', 'Of whom', 'As', 'At most', 'How often', 'End']}
          empty=""
          rows={await Promise.all(rows)}
        />
      )}
      <div class="actions">{await formsOf(visit, newRuleActions, undefined)}</div>
    </>
  )
}
