import { auditOf } from '../../exchange/audit/audit.ts'
import { shownPayoutsOf } from '../../exchange/settlement/end-payout.ts'
import { explainPrices } from '../../exchange/checks/explain-price.ts'
import { jobsOf } from '../../exchange/checks/jobs-of.ts'
import { eventsOf } from '../../exchange/events/feed.ts'
import { postingsOf } from '../../exchange/ledger/transaction-entries.ts'
import type { Role } from '../../exchange/operators/roles.ts'
import { notesOf } from '../../exchange/reports/notes.ts'
import { type PayerCheckOutcome, payerChecksOf, scoreText } from '../../exchange/settlement/payer.ts'
import { decisionPoliciesOf } from '../../exchange/transactions/decision-policies.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import type { Visit } from './page.ts'
import { whoIs } from './who.ts'
import { Moment, spaced, Table } from '../pages/table.tsx'
import { Worth } from '../pages/worth.tsx'

/** Everything that is known of an order, read at once. */
export async function storyOf(visit: Visit, transaction: Transaction) {
  const { ctx } = visit
  const { id, publicId } = transaction
  const isReadable = !transaction.isErased
  const [policiesOf, postings, jobs, events, quotes, notes, payers, payouts, audit, nameOf] = await Promise.all([
    decisionPoliciesOf(ctx.db, id),
    postingsOf(ctx.db, id),
    jobsOf(ctx, transaction),
    eventsOf(ctx, publicId),
    explainPrices(ctx, publicId),
    visit.may('orders.note') && isReadable ? notesOf(ctx, transaction, noteReader(visit)) : [],
    visit.may('customers.view') && isReadable ? payerChecksOf(ctx.db, transaction) : [],
    isReadable ? shownPayoutsOf(ctx, id) : [],
    auditOf(ctx.db, `transaction:${publicId}`),
    whoIs(ctx),
  ])
  const payees = visit.may('customers.view') ? payouts.filter(({ payee }) => payee !== undefined) : []
  const refused = payouts.filter(({ progress }) => progress.refusal !== undefined)
  return {
    visit,
    transaction,
    policiesOf,
    postings,
    jobs,
    events,
    quotes,
    notes,
    payers,
    payees,
    refused,
    audit,
    nameOf,
  }
}

/** Notes may name a person: who may not see customers reads those of the same role. */
const noteReader = (visit: Visit): Role | undefined => (visit.may('customers.view') ? undefined : visit.operator.role)

type Story = Awaited<ReturnType<typeof storyOf>>

/** What colleagues decided, and why: for everybody who sees the order. The reasons name nobody. */
export function Decisions({ audit, nameOf }: Pick<Story, 'audit' | 'nameOf'>) {
  const decided = audit.flatMap(({ at, actor, action, after }) =>
    typeof after?.reason === 'string' ? [{ at, actor, action, reason: after.reason }] : [],
  )
  if (decided.length === 0) return null
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">Decisions</h2>
      <Table
        caption="What was decided, and why"
        columns={['At', 'Who', 'What', 'Reason']}
        empty=""
        rows={decided.map((one) => [
          <Moment at={one.at} />,
          nameOf(one.actor),
          spaced(one.action.replace('transaction.', '')),
          <span class="wrap">{one.reason}</span>,
        ])}
      />
    </section>
  )
}

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

const payerOutcomes: Readonly<Record<PayerCheckOutcome, string>> = {
  match: 'The customer',
  known_account: 'Another name, from an account of the customer',
  not_compared: 'Not compared: a name is missing',
  accept: 'Somebody else, accepted',
  unnamed: 'Not named, from an account never seen: held',
  hold: 'Somebody else: held',
  return: 'Somebody else: returned',
}

/** Who paid by bank, compared with the customer. */
export function Payers({ payers }: Pick<Story, 'payers'>) {
  if (payers.length === 0) return null
  return (
    <section aria-labelledby="payers">
      <h2 id="payers">Payers</h2>
      <Table
        caption="Payers"
        columns={['Compared', 'Payer', 'On behalf of', 'Account', 'Customer', 'Likeness', 'Outcome', 'Policy']}
        empty=""
        rows={payers.map(({ checkedAt, payer, score, outcome, policyVersion, acceptedAt, ...customer }) => [
          <Moment at={checkedAt} />,
          payer.name || 'Not named',
          payer.onBehalfOf,
          <code class="wrap">{payer.account || 'Not named'}</code>,
          customerText(customer),
          score === null ? '' : scoreText(score),
          acceptedAt === null ? payerOutcomes[outcome] : `${payerOutcomes[outcome]}, released`,
          `payers ${policyVersion}`,
        ])}
      />
    </section>
  )
}

/** Payouts that were refused the last time, why, and when they are tried again. */
export function RefusedPayouts({ refused }: Pick<Story, 'refused'>) {
  if (refused.length === 0) return null
  return (
    <section aria-labelledby="refused-payouts">
      <h2 id="refused-payouts">Refused payouts</h2>
      <Table
        caption="Payouts that were refused the last time"
        columns={['Payout', 'Rail', 'Code', 'Why', 'Tried again at']}
        empty=""
        rows={refused.flatMap(({ id, rail, progress: { refusal } }) =>
          refusal
            ? [
                [
                  String(id),
                  rail,
                  <code>{refusal.code}</code>,
                  <span class="wrap">{refusal.message}</span>,
                  <Moment at={refusal.refusedUntil} />,
                ],
              ]
            : [],
        )}
      />
    </section>
  )
}

const payeeMatches = {
  match: 'The name that we gave',
  close: 'A similar name',
  none: 'Another name',
  unknown: 'Not said',
} as const

/** Who holds the accounts that are paid, as their banks say, compared with the customer. */
export function Payees({ payees }: Pick<Story, 'payees'>) {
  if (payees.length === 0) return null
  return (
    <section aria-labelledby="payees">
      <h2 id="payees">Payees</h2>
      <Table
        caption="Payees"
        columns={['Payout', 'Rail', 'The bank has', 'Its names', 'Customer', 'Likeness']}
        empty=""
        rows={payees.flatMap(({ id, rail, payee }) =>
          payee
            ? [
                [
                  String(id),
                  rail,
                  payeeMatches[payee.match],
                  payee.names || 'Not named',
                  customerText(payee),
                  payee.score === null ? '' : scoreText(payee.score),
                ],
              ]
            : [],
        )}
      />
    </section>
  )
}

const customerText = ({ name, isVerified }: { name: string | null; isVerified: boolean }): string =>
  name === null ? 'Not known' : isVerified ? name : `${name} (not verified)`

/** What was booked, sent and done, and what waits. */
type EvidenceProps = Pick<Story, 'postings' | 'jobs' | 'events' | 'nameOf'> & { audit: Story['audit'] | undefined }

export function Evidence({ postings, jobs, events, audit, nameOf }: EvidenceProps) {
  return (
    <>
      <section aria-labelledby="postings">
        <h2 id="postings">Postings</h2>
        <Table
          caption="Postings"
          columns={['Booked', 'Entry', 'Debit', 'Credit', 'Amount']}
          empty="Nothing was booked."
          rows={postings.map(({ at, kind, debit, credit, asset, amount }) => [
            <Moment at={at} />,
            spaced(kind),
            debit,
            credit,
            <Worth asset={asset} amount={amount} />,
          ])}
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
      {audit === undefined ? null : (
        <section aria-labelledby="audit">
          <h2 id="audit">Who did what</h2>
          <Table
            caption="Audit"
            columns={['At', 'Who', 'What', 'Details']}
            empty="Nobody did anything."
            rows={audit.map((one) => [
              <Moment at={one.at} />,
              nameOf(one.actor),
              one.action,
              one.after === null ? '' : <code class="wrap">{JSON.stringify(one.after)}</code>,
            ])}
          />
        </section>
      )}
    </>
  )
}
