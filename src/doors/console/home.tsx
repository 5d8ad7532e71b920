import { findStuck } from '../../exchange/checks/stuck.ts'
import { listSuspense } from '../../exchange/operations/suspense.ts'
import { listBreaks } from '../../exchange/reconciliation/breaks.ts'
import { findOrders } from '../../exchange/reports/find-orders.ts'
import { listOpenPayouts } from '../../exchange/settlement/approval.ts'
import { readHalts } from '../../rails/halts.ts'
import { summaryOfDay } from '../../exchange/reports/summary.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { age, Amount, Table } from '../pages/table.tsx'

/** One thing that waits for a person. The least `rank` is the most urgent. */
type Need = { rank: number; what: string; since: Date; stake: preact.ComponentChildren; to: string; detail: string }

const mostOfAKind = 50

/** `/console`: what needs somebody now, the most urgent first; below, today against the same day last week. */
export const homePage: Page = {
  path: '/console',
  needs: 'orders.view',
  show: async (visit) => {
    const [needs, summary] = await Promise.all([needsOf(visit), summaryOfDay(visit.ctx)])
    return {
      body: renderPage(
        visit,
        'What needs you now',
        <Home needs={needs} summary={summary} now={visit.ctx.clock.now()} />,
      ),
    }
  },
}

async function needsOf({ ctx }: Visit): Promise<Need[]> {
  const [held, payouts, suspense, breaks, halted, stuck] = await Promise.all([
    findOrders(ctx, { status: 'on_hold', page: 1, limit: mostOfAKind, byEmail: false }),
    listOpenPayouts(ctx, { waiting: true }),
    listSuspense(ctx),
    listBreaks(ctx, { open: true }),
    readHalts(ctx.db),
    findStuck(ctx),
  ])
  const worth = (asset: string, amount: bigint) => {
    const known = bookedAsset(asset)
    return known ? <Amount amount={formatAmount(amount, known)} asset={asset} /> : null
  }
  return [
    ...halted.map(({ scope, name, since, reason }): Need => ({
      rank: 0,
      what: `Halted: ${`${scope} ${name}`.trim()}`,
      since,
      stake: null,
      to: '/console/system',
      detail: reason,
    })),
    ...payouts.map((one): Need => ({
      rank: 1,
      what: 'A payout waits for approval',
      since: one.ordered_at,
      stake: worth(one.asset, one.amount),
      to: one.public_id === null ? '/console/money' : `/console/orders/${one.public_id}`,
      detail: `${one.approved_by.length} of ${one.needs} operators approved`,
    })),
    ...breaks.slice(0, mostOfAKind).map((one): Need => ({
      rank: 2,
      what: `${one.account} differs from its statement`,
      since: one.found_at,
      stake: worth(one.asset, one.amount),
      to: '/console/money',
      detail: one.cause.replaceAll('_', ' '),
    })),
    ...suspense.slice(0, mostOfAKind).map((one): Need => ({
      rank: 3,
      what: 'Money without an order',
      since: one.at,
      stake: worth(one.asset, one.amount),
      to: '/console/money',
      detail: one.rail,
    })),
    ...held.orders.map((order): Need => ({
      rank: 4,
      what: `Order ${order.publicId} is on hold`,
      since: order.createdAt,
      stake: <Amount amount={order.from.paid ?? order.from.expected} asset={order.from.asset} />,
      to: `/console/orders/${order.publicId}`,
      detail: order.statusDetails?.replaceAll('_', ' ') ?? '',
    })),
    ...stuck
      .filter(({ what }) => what !== 'transaction' && what !== 'deposit')
      .slice(0, mostOfAKind)
      .map((one): Need => ({
        rank: 5,
        what: `A ${one.what} waits too long`,
        since: one.since,
        stake: null,
        to: one.transactionId === null ? '/console/system' : `/console/orders/${one.transactionId}`,
        detail: `waits for ${one.waitsFor}`,
      })),
  ].toSorted((one, other) => one.rank - other.rank || one.since.getTime() - other.since.getTime())
}

function Home({
  needs,
  summary,
  now,
}: {
  needs: Need[]
  summary: Awaited<ReturnType<typeof summaryOfDay>>
  now: Date
}) {
  const { today, lastWeek } = summary
  return (
    <>
      <Table
        caption="What needs you now, the most urgent first"
        columns={['What', 'Waiting', 'At stake', 'Why']}
        empty="Nothing needs you. Enjoy the quiet."
        rows={needs.map((need) => [<a href={need.to}>{need.what}</a>, age(need.since, now), need.stake, need.detail])}
      />
      <section aria-labelledby="today">
        <h2 id="today">Today and a week ago</h2>
        <Table
          caption="The last 24 hours, and the same a week ago"
          columns={['Orders', 'Last 24 hours', 'A week ago']}
          empty=""
          rows={[
            ['Created', today.created, lastWeek.created],
            ['Paid', today.paid, lastWeek.paid],
            ['Finished', today.finished, lastWeek.finished],
            ['Volume', <Amount amount={today.volume} asset="EUR" />, <Amount amount={lastWeek.volume} asset="EUR" />],
          ]}
        />
      </section>
    </>
  )
}
