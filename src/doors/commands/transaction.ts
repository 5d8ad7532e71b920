import { eventsOf, type RecordedEvent } from '../../exchange/events/feed.ts'
import type { SeenJob } from '../../platform/jobs/inspect.ts'
import { postingsOf } from '../../exchange/ledger/transaction-entries.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { explainPrices, type ExplainedQuote } from '../../exchange/checks/explain-price.ts'
import { type PayerCheck, payerChecksOf, scoreText } from '../../exchange/settlement/payer.ts'
import { readTransactionWhole } from '../../exchange/transactions/load.ts'
import { jobsOf } from '../../exchange/checks/jobs-of.ts'
import { decisionPoliciesOf } from '../../exchange/transactions/decision-policies.ts'
import { anyRecordOf } from '../../exchange/transactions/record.ts'
import type { StatusChange } from '../../exchange/transactions/status-history.ts'
import type { Answer, Invocation, Json } from './command.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from '../../exchange/actions/shown-amount.ts'

export const show = (input: Invocation): Promise<Answer> => {
  const publicId = idOf(input)
  return input.exchange(async (ctx) => {
    const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
    if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    const [policiesOf, postings, jobs, events, payers] = await Promise.all([
      decisionPoliciesOf(ctx.db, transaction.id),
      postingsOf(ctx.db, transaction.id),
      jobsOf(ctx, transaction),
      eventsOf(ctx, publicId),
      payerChecksOf(ctx.db, transaction),
    ])
    const json = {
      transaction: anyRecordOf(ctx, transaction) as Json,
      history: transaction.history.map((change) => ({ ...shownChange(change), policies: { ...policiesOf(change) } })),
      postings: postings.map(shownPosting),
      jobs: jobs.map(shownJob),
      events: events.map(shownEvent),
      payers: payers.map(shownPayer),
    }
    return { json }
  })
}

/** Who paid by bank, and how alike the names are: `0.85`. */
const shownPayer = ({ payer, name, isVerified, score, outcome, policyVersion, checkedAt, acceptedAt }: PayerCheck) => ({
  payer: payer.name,
  account: payer.account,
  on_behalf_of: payer.onBehalfOf,
  customer: name,
  is_verified: isVerified,
  score: score === null ? null : scoreText(score),
  outcome,
  policy_version: policyVersion,
  at: checkedAt.toISOString(),
  released_at: acceptedAt?.toISOString() ?? null,
})

const shownChange = ({ kind, subjectId, occurrence, status, reason, at }: StatusChange) => ({
  kind,
  subject_id: subjectId === null ? null : String(subjectId),
  occurrence,
  status,
  reason,
  at: at.toISOString(),
})

/** The amount is in whole units of its asset, not in its smallest ones. */
const shownPosting = ({
  entry_id,
  kind,
  at,
  debit,
  credit,
  asset,
  amount,
}: Awaited<ReturnType<typeof postingsOf>>[number]) => ({
  entry_id: String(entry_id),
  kind,
  at: at.toISOString(),
  debit,
  credit,
  ...shownAmount(asset, amount),
})

const shownJob = ({ kind, key, runAt, timebase, attempts, lastError }: SeenJob) => ({
  kind,
  key,
  run_at: runAt.toISOString(),
  timebase,
  attempts,
  last_error: lastError,
})

/** `fed`: partners can read it by now. */
const shownEvent = ({ id, sequence, type, at, position }: RecordedEvent) => ({
  id,
  sequence,
  type,
  at: at.toISOString(),
  fed: position !== null,
})

/** Recomputes a transaction's prices. Exits with 1 if a figure differs. */
export const explainPrice = (input: Invocation): Promise<Answer> => {
  const publicId = idOf(input)
  return input.exchange(async (ctx) => {
    const quotes = await explainPrices(ctx, publicId)
    const agrees = quotes.every((quote) => quote.agrees)
    const json = {
      transaction_id: String(publicId),
      agrees,
      policies: { ...quotes.at(-1)?.policies },
      quotes: quotes.map(({ number, policies, agrees, lines, differences, recomputed }) => ({
        number,
        policies: { ...policies },
        agrees,
        lines,
        differences,
        recomputed: (recomputed ?? null) as Json,
      })),
    }
    return { json, text: quotes.map(explained).join('\n\n'), exitCode: agrees ? 0 : 1 }
  })
}

function explained({ number, lines, differences, agrees }: ExplainedQuote): string {
  const verdict = agrees ? ['agrees to the last digit'] : ['DOES NOT AGREE', ...differences]
  return [`Quote ${number}`, ...[...lines, ...verdict].map((line) => `  ${line}`)].join('\n')
}
