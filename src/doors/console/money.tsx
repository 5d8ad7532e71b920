import { balanceActions } from '../../exchange/actions/balances.ts'
import { type Break, bookActions, breakActions } from '../../exchange/actions/breaks.ts'
import { withApprovers } from '../../exchange/operations/withdraw-booking.ts'
import { listBreaks } from '../../exchange/reconciliation/breaks.ts'
import { heldBalances } from '../../exchange/ledger/balance.ts'
import { placeIn } from '../../exchange/ledger/account.ts'
import { Moment, spaced, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'
import { actOn, formsOf } from '../pages/actions.tsx'
import { paymentsToCancel, payoutGroups, payoutsToApprove } from './approvals.tsx'
import { bankGroups, bankPart } from './bank-files.tsx'
import { renderPage } from './layout.tsx'
import { group, type Page, type Visit } from './page.ts'
import { suspenseGroups, suspensePart } from './suspense.tsx'
import { treasuryGroups, treasuryParts } from './treasury.tsx'
import { whoApproved } from './who.ts'

/**
 * `/console/money`: payouts that wait for approval, breaks, files of banks, money without an order, hedges and transfers, what is held where,
 * the daily close.
 */
export const moneyPage: Page = {
  path: '/console/money',
  needs: 'money.view',
  show: async (visit) => {
    const page = (
      <>
        {await payoutsToApprove(visit)}
        {await paymentsToCancel(visit)}
        {await breaksPart(visit)}
        {await bankPart(visit)}
        {await suspensePart(visit)}
        {await treasuryParts(visit)}
        <Held held={await heldBalances(visit.ctx.db)} />
        <section class="actions" aria-label="Book">
          {await formsOf(visit, balanceActions, undefined)}
        </section>
      </>
    )
    return { body: renderPage(visit, 'Money', page) }
  },
  act: actOn([
    ...payoutGroups,
    group(breakActions),
    group(bookActions),
    ...bankGroups,
    ...suspenseGroups,
    ...treasuryGroups,
    group(balanceActions),
  ]),
}

async function breaksPart(visit: Visit) {
  const breaks = await withApprovers(visit.ctx, await listBreaks(visit.ctx, { open: true }))
  const [withdrawnBy, bookedBy] = await Promise.all(
    ['bank_booking.withdrawn', 'bank_booking.added'].map((action) =>
      whoApproved(visit.ctx, { action, noun: 'break' }, breaks),
    ),
  )
  const agreed = (one: Agreed): string => (one.gap ? bookedBy : withdrawnBy)?.(one) ?? ''
  return (
    <section aria-labelledby="breaks">
      <h2 id="breaks">Breaks</h2>
      <Table
        caption="Differences between statements and the books"
        columns={['Account', 'Kind', 'Payment', 'Difference', 'Cause', 'Found', 'Agreed by', 'Resolve']}
        empty="The statements agree with the books."
        rows={await Promise.all(
          breaks.map((one) => breakRow(visit, one, one.approved_by.length === 0 ? '' : agreed(one))),
        )}
      />
      <div class="actions">{await formsOf(visit, bookActions, undefined)}</div>
    </section>
  )
}

type Agreed = Break & { approved_by: string[] }

const breakRow = async (visit: Visit, one: Break, agreedBy: string) => [
  one.account,
  spaced(one.kind),
  <span class="wrap">{one.key}</span>,
  <Worth asset={one.asset} amount={one.amount} />,
  spaced(one.cause),
  <Moment at={one.found_at} />,
  <span class="wrap">{agreedBy}</span>,
  await formsOf(visit, breakActions, one, String(one.id)),
]

const Held = ({ held }: { held: ReadonlyMap<string, bigint> }) => (
  <section aria-labelledby="held">
    <h2 id="held">Held</h2>
    <Table
      caption="Balances by custody account, in the books"
      columns={['Account', 'Balance']}
      empty="Nothing is held."
      rows={[...held].flatMap(([name, amount]) => {
        const [account = '', asset = ''] = name.split(' ')
        const place = placeIn(account)
        return place === undefined || amount === 0n ? [] : [[place, <Worth asset={asset} amount={amount} />]]
      })}
    />
  </section>
)
