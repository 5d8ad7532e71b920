import { listNeeds, type Need } from '../../exchange/needs/list-needs.ts'
import type { NeedKind, Urgency } from '../../exchange/needs/need.ts'
import { summaryOfDay } from '../../exchange/reports/summary.ts'
import { renderPart } from '../ui/document.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Amount, duration, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'

/** The most rows of the queue. */
const most = 200

/** What each kind is called on the page. */
const names: Readonly<Record<NeedKind, string>> = {
  hold: 'On hold',
  approval: 'Approval',
  suspense: 'No order',
  break: 'Difference',
  unknown_payout: 'Payout',
  signer_refusal: 'Signer',
  market: 'Prices',
  rail: 'Halted',
  node: 'Node',
  balance: 'Low balance',
  endpoint: 'Webhooks',
  job: 'Work',
  bank_file: 'Bank file',
  hedge: 'Hedge',
  backup: 'Backup',
  restored: 'Restored',
}

const urgencies: Readonly<Record<Urgency, string>> = { now: 'Now', today: 'Today', later: 'Later' }

/** `/console`: what needs somebody now, the most urgent first; below, today against the same day last week. */
export const homePage: Page = {
  path: '/console',
  needs: 'orders.view',
  show: async (visit) => {
    const [needs, summary] = await Promise.all([needsOf(visit), summaryOfDay(visit.ctx)])
    return { body: renderPage(visit, 'What needs you now', <Home visit={visit} needs={needs} summary={summary} />) }
  },
  renewed: async (visit) => ({ body: renderPart(<Queue needs={await needsOf(visit)} />) }),
}

const needsOf = (visit: Visit): Promise<Need[]> => listNeeds(visit.ctx, { may: (permission) => visit.may(permission) })

function Queue({ needs }: { needs: Need[] }) {
  const shown = needs.slice(0, most)
  return (
    <>
      <Table
        caption="What needs you now, the most urgent first"
        columns={['When', 'What to do', 'Waiting', 'At stake']}
        empty="Nothing needs you. Enjoy the quiet."
        rowData={(index) => rowData(shown[index])}
        rows={shown.map((need) => [
          <>
            <span class={`urgency urgency-${need.urgency}`}>{urgencies[need.urgency]}</span>
            <br />
            <span class="hint urgency-later urgency">{names[need.kind]}</span>
          </>,
          <a class="need" href={need.page}>
            {need.sentence}
          </a>,
          duration(need.lastedMs),
          <Stake need={need} />,
        ])}
      />
      {needs.length > shown.length ? <p class="hint">And {needs.length - shown.length} more.</p> : null}
    </>
  )
}

/** Programs find the rows by these. */
const rowData = (need: Need | undefined): Readonly<Record<`data-${string}`, string>> =>
  need ? { 'data-need': need.kind, 'data-cause': need.cause, 'data-subject': need.subject } : {}

function Stake({ need: { asset, amount, stakeEurCents } }: { need: Need }) {
  if (stakeEurCents !== null) return <Amount amount={centsText(stakeEurCents)} asset="EUR" />
  return asset !== null && amount !== null ? <Worth asset={asset} amount={amount} /> : null
}

/** With both decimals: 9500.00. */
const centsText = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

type HomeProps = { visit: Visit; needs: Need[]; summary: Awaited<ReturnType<typeof summaryOfDay>> }

function Home({ visit, needs, summary }: HomeProps) {
  const { today, lastWeek } = summary
  return (
    <>
      <div data-renewed>
        <Queue needs={needs} />
      </div>
      <script type="module" src={visit.assets.renew}></script>
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
