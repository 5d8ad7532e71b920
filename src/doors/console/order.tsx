import { orderActions } from '../../exchange/actions/orders.ts'
import type { PolicyVersions } from '../../exchange/policies/policies.ts'
import { readEvenErased } from '../../exchange/transactions/load.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { renderPage } from './layout.tsx'
import { paymentsToCancel, payoutGroups, payoutsToApprove } from './approvals.tsx'
import { actOn, formsOf } from '../pages/actions.tsx'
import { Decisions, Evidence, Explanation, Payees, Payers, RefusedPayouts, storyOf } from './order-evidence.tsx'
import { emailFor } from './orders.tsx'
import { group, type Page, type Visit } from './page.ts'
import { mayReadPayouts, noteViews } from './views.ts'
import { Facts, Moment, spaced, StatusLabel, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'

/** `/console/orders/{id}`: the whole story of an order, and what can be done about it. */
export const orderPage: Page = {
  path: '/console/orders/:id',
  needs: 'orders.view',
  show: async (visit) => {
    const transaction = await wanted(visit)
    const { publicId } = transaction
    const payouts = await payoutsToApprove(visit, publicId)
    const isRead = (visit.may('customers.view') && !transaction.isErased) || (payouts !== null && mayReadPayouts(visit))
    if (isRead) await noteViews(visit, 'transaction.viewed', [`transaction:${publicId}`])
    return {
      body: renderPage(
        visit,
        `Order ${publicId}`,
        <Order
          {...await storyOf(visit, transaction)}
          forms={await formsOf(visit, orderActions, transaction)}
          payouts={
            <>
              {payouts}
              {await paymentsToCancel(visit, publicId)}
            </>
          }
        />,
      ),
    }
  },
  act: actOn([group(orderActions, { about: wanted }), ...payoutGroups]),
}

async function wanted({ ctx, params }: Visit): Promise<Transaction> {
  const id = readId(params.id ?? '')
  const transaction = id === undefined ? undefined : await readEvenErased(ctx, ctx.db, id)
  if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such order.')
  return transaction
}

type OrderProps = Awaited<ReturnType<typeof storyOf>> & {
  forms: preact.ComponentChildren
  payouts: preact.ComponentChildren
}

function Order({ visit, transaction, forms, payouts, ...story }: OrderProps) {
  const { personal } = transaction
  return (
    <>
      <Headline transaction={transaction} />
      {transaction.status === 'on_hold' ? <p class="notice">{reasonOf(transaction)}</p> : null}
      {payouts}
      <RefusedPayouts refused={story.refused} />
      <section class="actions" aria-label="Actions">
        {forms}
      </section>
      <section aria-labelledby="timeline">
        <h2 id="timeline">Timeline</h2>
        <ol class="timeline">
          {transaction.history.map((change) => (
            <li key={`${change.at.getTime()} ${change.kind} ${change.occurrence}`}>
              <Moment at={change.at} /> <strong>{spaced(change.kind)}</strong>: {spaced(change.status)}
              {change.reason === null ? null : <span class="hint"> {change.reason}</span>}
              {policyText(story.policiesOf(change))}
            </li>
          ))}
        </ol>
      </section>
      <div class="pair">
        <section aria-labelledby="about">
          <h2 id="about">About</h2>
          <Facts
            facts={[
              ['Side', transaction.side],
              ['Partner', <a href={`/console/partners/${transaction.partnerId}`}>{String(transaction.partnerId)}</a>],
              ['Created', <Moment at={transaction.createdAt} />],
              ['Price holds until', <Moment at={transaction.quoteExpiresAt} />],
              ['Pays by', spaced(transaction.depositMethod)],
              ['Receives by', spaced(transaction.payoutMethod)],
              [
                'Hash',
                transaction.outputHash === null ? 'None yet' : <code class="wrap">{transaction.outputHash}</code>,
              ],
            ]}
          />
        </section>
        <section aria-labelledby="customer">
          <h2 id="customer">Customer</h2>
          <Facts
            facts={[
              ['Customer', customerOf(visit, transaction)],
              ['Country', transaction.country ?? 'Not known'],
              ...(visit.may('customers.view')
                ? ([['Payout to', <code class="wrap">{personal.payoutAddress ?? 'Not given yet'}</code>]] as const)
                : []),
            ]}
          />
        </section>
      </div>
      <Decisions {...story} />
      <Payers {...story} />
      <Payees {...story} />
      <Money transaction={transaction} />
      <Explanation {...story} />
      <Evidence {...story} audit={visit.may('audit.view') ? story.audit : undefined} />
    </>
  )
}

function Headline({ transaction }: { transaction: Transaction }) {
  const { from, to, fromAmount, expectedFrom, toAmount, expectedTo } = transaction
  return (
    <p class="headline">
      <StatusLabel status={transaction.status} details={transaction.statusDetails} />{' '}
      <Worth asset={from.asset.id} amount={fromAmount > 0n ? fromAmount : expectedFrom} />
      {' to '}
      <Worth asset={to.asset.id} amount={toAmount ?? expectedTo} />
    </p>
  )
}

const customerOf = (visit: Visit, { isErased, personal, partnerCustomerId }: Transaction) => {
  const name = isErased ? 'Erased' : emailFor(visit, personal.email) || 'Not given yet'
  if (partnerCustomerId === null || !visit.may('customers.view')) return name
  return <a href={`/console/customers/${partnerCustomerId}`}>{name}</a>
}

/** The policies that decided it: `Policies: approvals 3.` */
const policyText = (policies: PolicyVersions | undefined) =>
  policies ? (
    <span class="hint">
      {' '}
      Policies:{' '}
      {Object.entries(policies)
        .map(([kind, version]) => `${kind} ${version}`)
        .join(', ')}
      .
    </span>
  ) : null

const reasonOf = ({ history }: Transaction): string =>
  history.findLast(({ reason }) => reason !== null)?.reason ?? 'It is on hold.'

const Money = ({ transaction }: { transaction: Transaction }) => (
  <section aria-labelledby="refunds">
    <h2 id="refunds">Refunds</h2>
    <Table
      caption="Refunds"
      columns={['Refund', 'State', 'Amount', 'Kept for sending']}
      empty="No refund was ordered."
      rows={transaction.refunds.map(({ publicId, state, asset, amount, cost }) => [
        String(publicId),
        spaced(state),
        <Worth asset={asset} amount={amount} />,
        <Worth asset={asset} amount={cost} />,
      ])}
    />
  </section>
)
