import { hedgeActions, proposeHedgesNow } from '../../exchange/actions/hedges.ts'
import { proposeTransfers, rebalanceActions } from '../../exchange/actions/rebalances.ts'
import { listHedges } from '../../exchange/treasury/decide-hedge.ts'
import { listRebalances } from '../../exchange/treasury/move-money.ts'
import { isOpen } from '../../exchange/treasury/rebalance.ts'
import { spaced, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'
import { formsOf } from '../pages/actions.tsx'
import { group, type Visit } from './page.ts'
import { whoIs } from './who.ts'

const proposals = [proposeHedgesNow, proposeTransfers]

/** What can be done with hedges and transfers. */
export const treasuryGroups = [group(hedgeActions), group(rebalanceActions), group(proposals)]

/** Hedges and transfers that have not ended. */
export async function treasuryParts(visit: Visit) {
  return (
    <>
      {await hedgesPart(visit)}
      {await transfersPart(visit)}
      <section class="actions" aria-label="Treasury">
        {await formsOf(visit, proposals, undefined)}
      </section>
    </>
  )
}

async function hedgesPart(visit: Visit) {
  const hedges = await listHedges(visit.ctx, true)
  if (hedges.length === 0) return null
  const nameOf = await whoIs(visit.ctx)
  const rows = hedges.map(async (one) => [
    String(one.id),
    one.venue,
    `${one.side} ${one.pair}`,
    <Worth asset={one.base} amount={one.amount} />,
    one.limit_price,
    spaced(one.state),
    one.reason,
    nameOf(one.proposed_by),
    one.approved_by.map(nameOf).join(', ') || 'no one yet',
    await formsOf(visit, hedgeActions, one, String(one.id)),
  ])
  return (
    <section aria-labelledby="hedges">
      <h2 id="hedges">Hedges</h2>
      <Table
        caption="Hedges that have not ended"
        columns={[
          'Hedge',
          'Venue',
          'Order',
          'Amount',
          'At most at',
          'State',
          'Reason',
          'Proposed by',
          'Approved by',
          'Decide',
        ]}
        empty=""
        rows={await Promise.all(rows)}
      />
    </section>
  )
}

async function transfersPart(visit: Visit) {
  const open = (await listRebalances(visit.ctx)).filter(isOpen)
  if (open.length === 0) return null
  const nameOf = await whoIs(visit.ctx)
  const rows = open.map(async (one) => [
    String(one.id),
    one.source,
    one.destination,
    <Worth asset={one.asset} amount={one.amount} />,
    one.reference,
    spaced(one.state),
    one.reason,
    nameOf(one.proposed_by),
    one.approved_by.join(', ') || 'no one yet',
    await formsOf(visit, rebalanceActions, one, String(one.id)),
  ])
  return (
    <section aria-labelledby="transfers">
      <h2 id="transfers">Transfers between accounts</h2>
      <Table
        caption="Transfers that have not arrived"
        columns={[
          'Transfer',
          'From',
          'To',
          'Amount',
          'Reference',
          'State',
          'Reason',
          'Proposed by',
          'Approved by',
          'Decide',
        ]}
        empty=""
        rows={await Promise.all(rows)}
      />
    </section>
  )
}
