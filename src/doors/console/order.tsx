import { operatorSubject } from '../../exchange/operators/operator.ts'
import { recordAudit } from '../../exchange/audit/audit.ts'
import type { PolicyVersions } from '../../exchange/policies/policies.ts'
import { readEvenErased } from '../../exchange/transactions/load.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { renderPage } from './layout.tsx'
import { Actions, actOn } from './order-actions.tsx'
import { Evidence, Explanation, storyOf } from './order-evidence.tsx'
import { emailFor } from './orders.tsx'
import type { Page, Visit } from './page.ts'
import { Amount, Facts, Moment, spaced, StatusLabel, Table } from '../pages/table.tsx'

/** `/console/orders/{id}`: the whole story of an order, and what can be done about it. */
export const orderPage: Page = {
  path: '/console/orders/:id',
  needs: 'orders.view',
  show: async (visit) => {
    const transaction = await wanted(visit)
    if (visit.may('customers.view') && !transaction.isErased) await noteView(visit, transaction)
    return {
      body: renderPage(visit, `Order ${transaction.publicId}`, <Order {...await storyOf(visit, transaction)} />),
    }
  },
  act: async (visit) => {
    const transaction = await wanted(visit)
    await actOn(visit, transaction)
    return { to: visit.path }
  },
}

async function wanted({ ctx, params }: Visit): Promise<Transaction> {
  const id = readId(params.id ?? '')
  const transaction = id === undefined ? undefined : await readEvenErased(ctx, ctx.db, id)
  if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such order.')
  return transaction
}

/** Personal data that somebody looked at is in the audit. */
const noteView = ({ ctx, operator }: Visit, { publicId }: Transaction): Promise<void> =>
  ctx.db.atomic((db) => {
    recordAudit(db, {
      at: ctx.clock.now(),
      actor: operatorSubject({ id: operator.operatorId }),
      action: 'transaction.viewed',
      subject: `transaction:${publicId}`,
      before: null,
      after: null,
    })
    return Promise.resolve()
  })

function Order({ visit, transaction, ...story }: Awaited<ReturnType<typeof storyOf>>) {
  const { from, to, personal } = transaction
  return (
    <>
      <p class="headline">
        <StatusLabel status={transaction.status} details={transaction.statusDetails} />{' '}
        <Amount
          amount={formatAmount(
            transaction.fromAmount > 0n ? transaction.fromAmount : transaction.expectedFrom,
            from.asset,
          )}
          asset={from.asset.id}
        />
        {' to '}
        <Amount amount={formatAmount(transaction.toAmount ?? transaction.expectedTo, to.asset)} asset={to.asset.id} />
      </p>
      {transaction.status === 'on_hold' ? <p class="notice">{reasonOf(transaction)}</p> : null}
      <Actions visit={visit} transaction={transaction} />
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
      <Money transaction={transaction} />
      <Explanation {...story} />
      <Evidence {...story} />
    </>
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
      rows={transaction.refunds.map((refund) => {
        const asset = bookedAsset(refund.asset)
        return [
          String(refund.publicId),
          spaced(refund.state),
          asset ? <Amount amount={formatAmount(refund.amount, asset)} asset={asset.id} /> : refund.asset,
          asset ? <Amount amount={formatAmount(refund.cost, asset)} asset={asset.id} /> : refund.asset,
        ]
      })}
    />
  </section>
)
