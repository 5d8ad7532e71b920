import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { enoughProblems, idOf, problemsIn, verifyBooks } from '../ledger/verify.ts'
import { bookKeyOf, readBooks } from '../../markets/live/queries.ts'
import { after } from '../../platform/lib/clock.ts'
import { ended, endsWithoutMoney, type Status } from '../transactions/lifecycle.ts'
import { verifyDeposits, verifyPayouts, verifyRefunds } from './compare.ts'
import { faultsOfHistory, countingKinds, statusesIn, reportedBesides } from './verify-history.ts'
import { type Difference, misbooked, misbookedSuspense, type Places } from './misbooked.sql.ts'
import * as queries from './verify.sql.ts'
import { verifyApprovals } from './verify-approvals.ts'
import { strayPayments } from './verify-payments.ts'
import { verifyTreasury } from './verify-treasury.ts'
import { verifyQuotes } from './verify-quotes.ts'
import { statementsThatDiffer } from './verify-statements.ts'

const batch = 1_000

/**
 * Checks on a live database that the ledger balances and is unchanged; that every transaction's status agrees with its history,
 * and its history, deposits, payouts, evidence and quotes with the ledger; that ended transactions owe nothing; that nothing was
 * paid without a prepared payment and evidence; that deposits match their rail events and custody accounts their statements; that the
 * profit and loss and hedges agree with the ledger; that who approved what is signed, by operators whom the exchange made.
 * Reads in batches, so memory use does not grow with the database. Returns one sentence a problem. A check with very many
 * problems stops early, and the last sentence says so.
 */
export async function verify(ctx: Ctx): Promise<string[]> {
  const { db } = ctx
  const checks = [
    () => verifyBooks(db, ctx),
    () => verifyTransactions(ctx),
    () => verifyDeposits(db),
    () => verifyPayouts(ctx),
    () => verifyRefunds(db),
    () => verifyQuotes(ctx),
    () => reservesThatDiffer(db),
    () => statementsThatDiffer(ctx),
    () => verifyTreasury(db),
    () => verifyMarkets(ctx),
    () => verifyTime(ctx),
    () => verifyApprovals(ctx),
    () => strayPayments(db),
  ]
  const problems: string[] = []
  let isCut = false
  for (const check of checks) {
    const found = await check()
    isCut ||= found.length >= enoughProblems
    problems.push(...found)
  }
  return isCut ? [...problems, 'There may be more: a check with this many problems stopped early.'] : problems
}

/** What the market is said to be is what a leader of ours has written: a payout's worth is asked of it. */
async function verifyMarkets({ db, secrets }: Ctx): Promise<string[]> {
  const { forged } = await readBooks({ db, stampKey: bookKeyOf(secrets) }, 0n)
  return forged.map((pair) => `The book of ${pair} was not written by the exchange.`)
}

/** Where business time is real time, nothing says otherwise: a policy would be in force too early. */
async function verifyTime({ db, config }: Ctx): Promise<string[]> {
  if (config.environment.movesTime) return []
  const moved = await db.sql`select from service_state where clock_offset_ms > 0`
  return moved.length === 0 ? [] : ['Somebody has moved business time ahead, which counts for nothing here.']
}

/** Transactions with their deposits, payouts and events, and money in suspense. */
async function verifyTransactions(ctx: Ctx): Promise<string[]> {
  const { db } = ctx
  const now = ctx.clock.now()
  const eventsSince = after(now, -ctx.policies.at(now, 'retention').rules.eventsMs)
  const places = placesOf(ctx)
  const problems = await problemsIn<queries.Agreement>(
    (last) => queries.agreements(db, idOf(last), batch, eventsSince),
    async (rows, last) => {
      const [afterId, lastId] = [idOf(last), idOf(rows.at(-1))]
      const found = rows.flatMap(disagreements)
      if (found.length >= enoughProblems) return found
      return [
        ...found,
        ...(await misbooked(db, afterId, lastId, places)).map(sentenceOf),
        ...(await queries.misused(db, afterId, lastId)).map(usedSentenceOf),
      ]
    },
  )
  return [...problems, ...(await misbookedSuspense(db, places)).map(sentenceOf)]
}

function placesOf({ rails }: Ctx): Places {
  const all = rails.all.filter(({ deposit }) => deposit)
  return { rails: all.map(({ name }) => name), places: all.map(({ custodyAccount }) => custodyAccount) }
}

const sentenceOf = ({ public_id, kind, ref }: Difference): string =>
  `${public_id === null ? 'Suspense' : `Transaction ${public_id}`} and the ledger differ in ${kind} ${ref}.`

const usedSentenceOf = ({ public_id }: { public_id: bigint }): string =>
  `Transaction ${public_id} and the ledger differ in the use of its deposits.`

const reservesThatDiffer = async (db: Db): Promise<string[]> =>
  (await queries.misreserved(db)).map(
    ({ place, asset }) => `${asset} reserves at ${place} differ from its open payouts.`,
  )

/**
 * What must have been booked, and what must not, for a transaction to be where it is. `more`: of the first kind more than of the
 * second.
 */
const booked: Record<Status, { must?: string[]; mustNot?: string[]; more?: [string, string] }> = {
  new: { mustNot: ['exchange', 'payout_sent'] },
  waiting_for_customer: { mustNot: ['exchange', 'payout_sent'] },
  waiting_for_deposit: { mustNot: ['exchange', 'payout_sent'] },
  on_hold: {},
  exchanging: { must: ['deposit', 'exchange'], more: ['exchange', 'payout_sent'] },
  sending: { must: ['deposit', 'exchange', 'payout_sent'], more: ['payout_sent', 'payout_settled'] },
  finished: { must: ['deposit', 'exchange', 'payout_sent', 'payout_settled'] },
  refunded: { must: ['deposit'], mustNot: ['exchange'] },
  expired: { mustNot: ['exchange'] },
  cancelled: { mustNot: ['exchange'] },
  failed: { mustNot: ['exchange'] },
}

function disagreements(row: queries.Agreement): string[] {
  const { must = [], mustNot = [], more } = booked[row.status]
  const kinds = countingKinds(row.booked, row.history)
  const count = (kind: string): number => kinds.filter((one) => one === kind).length
  const lastStatus = row.history.at(-1)?.status
  const missing = must.filter((kind) => count(kind) === 0).map((kind) => `is ${row.status} without ${kind}`)
  const extra = mustNot.filter((kind) => count(kind) > 0).map((kind) => `is ${row.status} with ${kind}`)
  const statuses = statusesIn(row.history)
  const others: [boolean, string][] = [
    [more !== undefined && count(more[0]) <= count(more[1]), `is ${row.status} with ${more?.[1]}`],
    [
      endsWithoutMoney.has(row.status) && count('deposit') + count('deposit_reinstated') > count('deposit_reversed'),
      `is ${row.status} with deposit`,
    ],
    [lastStatus !== row.status, `is ${row.status}, but its history ends at ${lastStatus}`],
    [row.status_changes !== row.history.length, 'has lost a part of its history'],
    [row.goes_back, 'has a history that goes back in time'],
    [row.is_told_elsewhere, 'has an event of another partner'],
    [lacksStatusEvent(row, statuses), 'lacks an event for one of its statuses'],
    [BigInt(row.events) !== row.counted_events, 'has lost an event'],
    [BigInt(row.quote_number) !== row.counted_quotes, 'has lost a quote'],
    [row.from_amount !== row.deposited, 'does not show what was deposited'],
    [row.status === 'finished' && row.paid === null, 'is finished and has paid nothing'],
    [row.status === 'refunded' && !row.has_refunded, 'is refunded and has given nothing back'],
    [row.to_amount !== row.paid, 'does not show what was paid out'],
    [row.output_hash !== row.proof, 'does not show the proof of its payout'],
    [ended.has(row.status) && row.owed > 0n, `is ${row.status} and still owes its customer`],
    [row.unplanned > 0n, 'has a payout without a plan'],
    [row.unproven > 0n, 'has a payout without evidence'],
  ]
  const wrong = others.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence)
  const all = [...missing, ...extra, ...wrong, ...faultsOfHistory(row.history, row)]
  return all.map((sentence) => `Transaction ${row.public_id} ${sentence}.`)
}

/**
 * Whether a status has no event. Where the oldest events were deleted, only the total is compared. B2B has one event type, which
 * also reports money without a new status, and did not always.
 */
function lacksStatusEvent(row: queries.Agreement, statuses: number): boolean {
  if (row.first_event !== 1) return row.events < statuses
  const most = statuses + (row.is_b2b ? reportedBesides(row.history) : 0)
  return row.status_events < BigInt(statuses) || row.status_events > BigInt(most)
}
