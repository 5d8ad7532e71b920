import { confirmPayment, endingActions, endPayment, payoutActions } from '../../exchange/actions/payouts.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { listOpenPayouts, type OpenPayout } from '../../exchange/settlement/approval.ts'
import { type PaymentToEnd, paymentsToEnd } from '../../exchange/settlement/end-payout.ts'
import { readCustomerOf } from '../../exchange/transactions/customer-of.ts'
import { Facts, Moment, spaced, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'
import { formsOf } from '../pages/actions.tsx'
import { group, type Visit } from './page.ts'
import { mayReadPayouts, noteViews } from './views.ts'
import { whoApproved } from './who.ts'

/** What can be done with payouts, on any page that shows them. */
export const payoutGroups = [group(payoutActions), group(endingActions)]

/**
 * The payouts and refunds that wait for approval, each with everything that is approved as far as somebody may read that, and the form that does. `order`: only those of
 * an order, and nothing where there is none.
 */
export async function payoutsToApprove(visit: Visit, order?: bigint) {
  const waiting = await listOpenPayouts(visit.ctx, { waiting: true, most: order === undefined ? 100 : 1_000 })
  const payouts = waiting.filter(({ public_id: owner }) => order === undefined || owner === order)
  if (order !== undefined && payouts.length === 0) return null
  // The page of an order notes that it was looked at, for all that is on it.
  if (order === undefined && mayReadPayouts(visit)) await notePayouts(visit, payouts)
  const shown = await Promise.all(payouts.map((one) => waitingPayout(visit, one)))
  return (
    <section aria-labelledby="approvals">
      <h2 id="approvals">Payouts waiting for approval</h2>
      {payouts.length === 0 ? <p>No payout waits for approval.</p> : null}
      {shown}
    </section>
  )
}

async function notePayouts(visit: Visit, payouts: readonly OpenPayout[]): Promise<void> {
  const orders = payouts.flatMap(({ public_id: order }) => (order === null ? [] : [`transaction:${order}` as const]))
  const others = payouts.flatMap(({ id, public_id: order }) => (order === null ? [`payout:${id}` as const] : []))
  if (orders.length > 0) await noteViews(visit, 'transaction.viewed', orders)
  if (others.length > 0) await noteViews(visit, 'payout.viewed', others)
}

async function waitingPayout(visit: Visit, payout: OpenPayout) {
  const isRead = mayReadPayouts(visit)
  const customer = isRead ? await readCustomerOf(visit.ctx, payout.transaction_id) : undefined
  const { id, waits, content, public_id: order, asset, amount } = payout
  const destination = (isRead ? (content?.destination ?? {}) : {}) as Readonly<Record<string, unknown>>
  const facts: [string, preact.ComponentChildren][] = [
    ['Amount', <Worth asset={asset} amount={amount} />],
    ...Object.entries(destination).flatMap(([name, value]): [string, preact.ComponentChildren][] =>
      typeof value === 'string' && value !== '' ? [[titles[name] ?? name, <span class="wrap">{value}</span>]] : [],
    ),
    ['Customer', isRead ? (customer ?? 'not known') : 'not for your role'],
    [
      'Order',
      order === null ? 'none: money without an order' : <a href={`/console/orders/${order}`}>{String(order)}</a>,
    ],
    [
      'Why',
      payout.purpose === 'payout'
        ? 'The customer’s exchange'
        : isRead
          ? `A refund: ${payout.reason ?? ''}`
          : 'A refund',
    ],
    ['Ordered', <Moment at={payout.ordered_at} />],
    ['Ordered by', ordererOf(payout, isRead)],
    ['Leaves by', payout.rail],
    ['Approved by', payout.approved_by.join(', ') || 'no one yet'],
  ]
  return (
    <article key={String(id)} class="notice" aria-label={`Payout ${id}`}>
      <Facts facts={facts} />
      {await formsOf(visit, payoutActions, { id, waits, content: content ?? null }, String(id))}
    </article>
  )
}

function ordererOf({ purpose, ordered_by: operator, ordered_because: why }: OpenPayout, isRead: boolean): string {
  if (operator !== null) return isRead ? `${operator}: “${why ?? ''}”` : operator
  return purpose === 'payout' ? 'the customer' : 'the exchange or the customer'
}

/** Prepared payments that an operator can end: those of an order, or those that a colleague wants to end, or says are paid. */
export async function paymentsToCancel(visit: Visit, order?: bigint) {
  const payments = visit.may('payouts.approve') ? await paymentsToEnd(visit.ctx, order) : []
  if (payments.length === 0) return null
  const wantedBy = await whoApproved(visit.ctx, { action: 'payout.ended', noun: 'payout' }, payments)
  const rows = await Promise.all(payments.map((one) => paymentRow(visit, one, saidOf(one, wantedBy))))
  return (
    <section aria-labelledby="payments">
      <h2 id="payments">
        {order === undefined ? 'Payments that a colleague wants to end, or says are paid' : 'Prepared payments'}
      </h2>
      <Table
        caption="Prepared payments"
        columns={['Payment', 'Order', 'Leaves by', 'Amount', 'State', 'Approved', 'End']}
        empty=""
        rows={rows}
      />
    </section>
  )
}

/** Who wants to end a payment, and who says that it is paid. */
function saidOf(
  { id, difference, approved: { end, paid } }: PaymentToEnd,
  names: (one: { id: bigint; approved_by: string[] }) => string,
): string {
  const said = [
    { what: 'End', by: end },
    { what: `Paid in ${difference?.payment}`, by: paid },
  ].filter(({ by }) => by.length > 0)
  return said.map(({ what, by }) => `${what}: ${names({ id, approved_by: by })}`).join('; ') || 'no one yet'
}

/** What a colleague says of a payment, and the contrary only to who said that. */
function offeredTo({ operator }: Visit, { approved: { end, paid } }: PaymentToEnd) {
  const byOthers = (by: string[]): boolean => by.some((one) => one !== operatorSubject({ id: operator.operatorId }))
  return [...(byOthers(paid) ? [] : [endPayment]), ...(byOthers(end) ? [] : [confirmPayment])]
}

async function paymentRow(visit: Visit, payment: PaymentToEnd, wantedBy: string) {
  const { id, public_id: order, rail, asset, amount, plan_state: state } = payment
  return [
    String(id),
    order === null ? 'none' : <a href={`/console/orders/${order}`}>{String(order)}</a>,
    rail,
    <Worth asset={asset} amount={amount} />,
    spaced(state ?? ''),
    <span class="wrap">{wantedBy}</span>,
    await formsOf(visit, offeredTo(visit, payment), payment, String(id)),
  ]
}

const titles: Readonly<Record<string, string>> = {
  address: 'Goes to',
  extraId: 'Memo, tag or BIC',
  holder: 'Account holder',
}
