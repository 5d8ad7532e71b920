import type { Conversion, FlowReport } from '../../exchange/reports/flow.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { Amount, spaced, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'
import { euros } from '../ui/report-figures.ts'

/** Where customers stop, how rails did, what payments cost, and what went back. */
export const Flow = ({ flow: { conversion, rails, costs, givenBack } }: { flow: FlowReport }) => (
  <>
    <section aria-labelledby="conversion">
      <h2 id="conversion">Conversion</h2>
      <Table
        caption="How far customers’ orders have come"
        columns={['Step', 'Orders', 'Of all created', 'Stopped before it']}
        empty=""
        rows={conversion.created === 0n ? [] : steps(conversion)}
      />
      {conversion.created === 0n ? <p class="hint">No order was created.</p> : null}
    </section>
    <section aria-labelledby="rails">
      <h2 id="rails">Rails</h2>
      <Table
        caption="Payments in and out by rail"
        columns={['Rail', 'Paid in', 'Taken back', 'Paid out', 'Failed', 'Open', 'Success']}
        empty="No rail moved money."
        rows={rails.map(({ rail, deposits, takenBack, paid, failed, open }) => [
          rail,
          String(deposits),
          String(takenBack),
          String(paid),
          String(failed),
          String(open),
          paid + failed === 0n ? '' : share(paid, paid + failed),
        ])}
      />
      <Table
        caption="What payments cost, in EUR"
        columns={['Paid by', 'Received by', 'Method costs', 'Network costs']}
        empty="No costs were booked."
        rows={costs.map(({ paidBy, receivedBy, method, network }) => [
          spaced(paidBy),
          spaced(receivedBy),
          <Amount amount={euros(method)} asset="EUR-EUR" />,
          <Amount amount={euros(network)} asset="EUR-EUR" />,
        ])}
      />
    </section>
    <section aria-labelledby="back">
      <h2 id="back">Refunds and chargebacks</h2>
      <Table
        caption="Money that went back"
        columns={['What', 'Count', 'Amount']}
        empty="Nothing went back."
        rows={givenBack.map(({ kind, asset, count, amount }) => [
          kind,
          String(count),
          <Worth asset={asset} amount={amount} />,
        ])}
      />
    </section>
  </>
)

function steps({ created, proven, ready, paid, finished }: Conversion): string[][] {
  const all: [name: string, count: bigint][] = [
    ['Created', created],
    ['E-mail address proven', proven],
    ['Instructions to pay shown', ready],
    ['Paid', paid],
    ['Finished', finished],
  ]
  return all.map(([name, count], at) => {
    const before = all[at - 1]?.[1] ?? count
    return [name, String(count), share(count, created), before > count ? String(before - count) : '']
  })
}

/** A part in percent, with one decimal. */
function share(part: bigint, whole: bigint): string {
  const thousandths = (part * 2_000n + whole) / (whole * 2n)
  return `${formatAmount(thousandths, { decimals: 1 })} %`
}
