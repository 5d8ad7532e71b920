import { auditOf } from '../../exchange/audit/audit.ts'
import { explainPrices } from '../../exchange/checks/explain-price.ts'
import { jobsOf } from '../../exchange/checks/jobs-of.ts'
import { eventsOf } from '../../exchange/events/feed.ts'
import { postingsOf } from '../../exchange/ledger/transaction-entries.ts'
import { notesOf } from '../../exchange/reports/notes.ts'
import { decisionPoliciesOf } from '../../exchange/transactions/decision-policies.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Visit } from './page.ts'
import { Amount, Moment, spaced, Table } from '../pages/table.tsx'

/** Everything that is known of an order, read at once. */
export async function storyOf(visit: Visit, transaction: Transaction) {
  const { ctx } = visit
  const { id, publicId } = transaction
  const [policiesOf, postings, jobs, events, quotes, notes, audit] = await Promise.all([
    decisionPoliciesOf(ctx.db, id),
    postingsOf(ctx.db, id),
    jobsOf(ctx, transaction),
    eventsOf(ctx, publicId),
    explainPrices(ctx, publicId),
    visit.may('customers.view') && !transaction.isErased ? notesOf(ctx, transaction) : [],
    visit.may('audit.view') ? auditOf(ctx.db, `transaction:${publicId}`) : [],
  ])
  return { visit, transaction, policiesOf, postings, jobs, events, quotes, notes, audit }
}

type Story = Awaited<ReturnType<typeof storyOf>>

/** Notes, and how each price came about. */
export function Explanation({ quotes, notes }: Pick<Story, 'quotes' | 'notes'>) {
  return (
    <>
      <section aria-labelledby="notes">
        <h2 id="notes">Notes</h2>
        {notes.length === 0 ? <p class="hint">No notes.</p> : null}
        <ul class="notes">
          {notes.map((note) => (
            <li key={String(note.id)}>
              <p>{note.text}</p>
              <p class="hint">
                {note.by}, <Moment at={note.at} />
              </p>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="price">
        <h2 id="price">Price, every step</h2>
        {quotes.map((quote) => (
          <details key={quote.number} open={quote.number === quotes.length}>
            <summary>
              Quote {quote.number}
              {quote.agrees ? '' : ': DOES NOT AGREE'}
            </summary>
            <ol class="lines">
              {[...quote.lines, ...quote.differences].map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ol>
          </details>
        ))}
      </section>
    </>
  )
}

/** What was booked, sent and done, and what waits. */
export function Evidence({ postings, jobs, events, audit }: Pick<Story, 'postings' | 'jobs' | 'events' | 'audit'>) {
  return (
    <>
      <section aria-labelledby="postings">
        <h2 id="postings">Postings</h2>
        <Table
          caption="Postings"
          columns={['Booked', 'Entry', 'Debit', 'Credit', 'Amount']}
          empty="Nothing was booked."
          rows={postings.map((posting) => {
            const asset = bookedAsset(posting.asset)
            return [
              <Moment at={posting.at} />,
              spaced(posting.kind),
              posting.debit,
              posting.credit,
              asset ? <Amount amount={formatAmount(posting.amount, asset)} asset={asset.id} /> : posting.asset,
            ]
          })}
        />
      </section>
      <section aria-labelledby="events">
        <h2 id="events">Events sent to the partner</h2>
        <Table
          caption="Events"
          columns={['At', 'Type', 'Event']}
          empty="No event."
          rows={events.map((event) => [<Moment at={event.at} />, event.type, <code>{event.id}</code>])}
        />
      </section>
      <section aria-labelledby="jobs">
        <h2 id="jobs">Waiting work</h2>
        <Table
          caption="Waiting work"
          columns={['Due', 'What', 'Attempts', 'Last error']}
          empty="Nothing is waiting."
          rows={jobs.map((job) => [<Moment at={job.runAt} />, job.kind, String(job.attempts), job.lastError ?? ''])}
        />
      </section>
      <section aria-labelledby="audit">
        <h2 id="audit">Who did what</h2>
        <Table
          caption="Audit"
          columns={['At', 'Who', 'What', 'Details']}
          empty="Nobody did anything."
          rows={audit.map((one) => [
            <Moment at={one.at} />,
            one.actor,
            one.action,
            one.after === null ? '' : <code class="wrap">{JSON.stringify(one.after)}</code>,
          ])}
        />
      </section>
    </>
  )
}
