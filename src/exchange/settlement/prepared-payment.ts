import type { Ctx } from '../context.ts'
import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Destination, PayoutRail, PlanBody, PlanOutcome } from '../../rails/rail.ts'
import { destinationPlace, type PayablePayout, payouts } from './payout.ts'
import { stateMachine, transition } from './transition.ts'

/**
 * The state of a prepared payment. `submitted`: the rail took it and has no answer yet. `unknown`: the rail does not say whether it
 * acted. `done`, with evidence, and `never` are the rail's clear answers; nothing else ends it.
 */
export type PreparedState = 'planned' | 'submitted' | 'unknown' | 'done' | 'never'

/** The lifecycle of prepared payments. */
export const preparedPayments = stateMachine<PreparedState, 'unknownSince' | 'evidence' | 'endedAt'>(
  'plans',
  {
    planned: ['submitted', 'unknown', 'done', 'never'],
    submitted: ['unknown', 'done', 'never'],
    unknown: ['submitted', 'done', 'never'],
    done: [],
    never: [],
  },
  { unknownSince: 'timestamptz', evidence: 'json', endedAt: 'timestamptz' },
)

/** The states of a prepared payment that has not ended. */
export const openStates = ['planned', 'submitted', 'unknown'] as const satisfies readonly PreparedState[]

/** The job that submits a prepared payment and looks what became of it. Its key is the payment's id. */
export const preparedPaymentDue = 'plan.due'

const preparedRows = rowWriter('plans', {
  id: 'bigint',
  rail: 'text',
  planKey: 'text',
  state: 'text',
  dataKeyId: 'bigint',
  body: 'bytea',
  plannedAt: 'timestamptz',
})

/**
 * Prepares the payments of covered payouts, which are committed before anything is tried. From then on there is no other way to pay
 * them: the payment is submitted until the rail says yes or never. One with the key of another fails the block.
 */
export async function preparePayments(ctx: Ctx, db: Atomic, covered: PayablePayout[]): Promise<void> {
  const plannedAt = ctx.clock.now()
  const rows = []
  for (const [rail, own] of byRail(ctx, covered)) {
    const numbers = new Map(own.map((payout) => [payoutNumber(payout), payout]))
    const drafts = await rail.payout.prepare([...numbers].map(([number, payout]) => orderOf(payout, number)))
    for (const draft of drafts) {
      const payout = numbers.get(draft.payoutId)
      if (!payout) throw new Error(`The rail ${rail.name} prepared a payment for a payout that was not ordered.`)
      const id = await ctx.rowIds.next()
      const { dataKey } = payout
      rows.push({
        id,
        payoutId: payout.id,
        rail: rail.name,
        planKey: draft.key,
        state: 'planned',
        dataKeyId: dataKey.id,
        body: dataKey.seal(draft.body, preparedPlace(id)),
        plannedAt,
      })
    }
  }
  if (rows.length !== covered.length) throw new Error('A payout was left without a prepared payment.')
  preparedRows.insert(db, rows)
  transition(
    db,
    payouts,
    rows.map(({ id, payoutId }) => ({ id: payoutId, planId: id })),
    'reserved',
    'planned',
  )
  ctx.queue.enqueue(
    db,
    rows.map(({ id }) => ({
      kind: preparedPaymentDue,
      key: String(id),
      runAt: ctx.clock.realNow(),
      timebase: 'real',
    })),
  )
}

/** Where a sealed payment belongs. */
export const preparedPlace = (id: bigint): string => `plans:${id}`

/** Above every id that payouts were known by before. */
const firstNumber = 10_000_000_000n

/**
 * What a rail knows a payout by. The same each time for one payout of a transaction: a database that was restored orders it once more,
 * under another id, and the rail pays it once.
 */
function payoutNumber({ id, transaction_id: transactionId, purpose, number }: PayableOrder): bigint {
  if (transactionId === null) return id
  return firstNumber + transactionId * 1_000n + (purpose === 'refund' ? 500n : 0n) + BigInt(number)
}

type PayableOrder = Pick<PayablePayout, 'id' | 'transaction_id' | 'purpose' | 'number'>

const orderOf = ({ id, asset, amount, dataKey, destination }: PayablePayout, payoutId: bigint) => ({
  payoutId,
  asset,
  amount,
  destination: dataKey.open<Destination>(destination, destinationPlace(id)),
})

function byRail({ rails }: Ctx, covered: PayablePayout[]): Map<PayoutRail, PayablePayout[]> {
  const grouped = new Map<PayoutRail, PayablePayout[]>()
  for (const payout of covered) {
    const rail = rails.payout(payout.rail)
    if (!rail) throw new Error(`There is no rail ${payout.rail} in this process.`)
    grouped.set(rail, [...(grouped.get(rail) ?? []), payout])
  }
  return grouped
}

/** A prepared payment with the payout that it pays. `transaction_id` is null where money from suspense goes back. */
export type PreparedPayment = {
  id: bigint
  rail: string
  plan_key: string
  state: PreparedState
  /** Since when, in real time, the rail has given no clear answer; null: it has. */
  unknown_since: Date | null
  data_key_id: bigint
  wrapped_key: Buffer | null
  body: Buffer
  payout_id: bigint
  transaction_id: bigint | null
  refund_id: bigint | null
  place: string
  asset: string
  amount: bigint
  fee_asset: string | null
  most_fee: bigint | null
  /** It may not leave now: everything is halted, or its rail or asset. */
  halted: boolean
  /** When it may have left first, in an exchange whose database was restored since; null: it has not. */
  unsure_from: Date | null
  unsure_until: Date | null
}

const readPrepared = (db: Db, ids: bigint[]): Promise<PreparedPayment[]> =>
  db.sql`
    select plans.id, plans.rail, plan_key, plans.state, unknown_since, plans.data_key_id, wrapped as wrapped_key, body,
      payouts.id as payout_id, transaction_id, refund_id, place, asset, amount, fee_asset, most_fee,
      exists (
        select from halts where scope in ('all', 'payouts', 'restored') or (scope = 'rail' and name = plans.rail)
          or (scope = 'asset' and name = payouts.asset)) as halted,
      unsure.since as unsure_from, unsure.until as unsure_until
    from plans
    join payouts on payouts.plan_id = plans.id
    join data_keys on data_keys.id = plans.data_key_id
    left join unsure_payouts as unsure on unsure.id = payouts.id
    where plans.id = any(${ids}) order by plans.id`

/**
 * A payment and what the rail says of it. `unclear`: the rail did not answer, so whether it acted is not known. `halted`: it was not
 * submitted; `refused`: the rail has refused it until then.
 */
export type Submitted = {
  payment: PreparedPayment
  outcome: PlanOutcome | { state: 'unclear' | 'halted' } | { state: 'refused'; lookAgainInMs: number }
}

/**
 * Brings prepared payments to their rails and asks what became of them. May be repeated at any time: a rail carries a payment out
 * once, however often it is submitted. One that was submitted before is looked up first. None that is halted is submitted.
 */
export async function submitPayments(ctx: Ctx, ids: bigint[]): Promise<Submitted[]> {
  const payments = await readPrepared(ctx.db, ids)
  return Promise.all(payments.map(async (payment) => ({ payment, outcome: await submit(ctx, payment) })))
}

async function submit(ctx: Ctx, payment: PreparedPayment): Promise<Submitted['outcome']> {
  const rail = ctx.rails.payout(payment.rail)?.payout
  if (!rail) throw new Error(`There is no rail ${payment.rail} in this process.`)
  const key = ctx.keyring.unwrap(payment.data_key_id, payment.wrapped_key)
  const prepared = { key: payment.plan_key, body: key.open<PlanBody>(payment.body, preparedPlace(payment.id)) }
  try {
    if (payment.state !== 'planned') {
      const before = await rail.look(prepared)
      if (before.state !== 'never') return before
    }
    const { unsure_from: since, unsure_until: until } = payment
    if (rail.unsure && since && until) {
      await rail.unsure.one(prepared, { since, until })
      return await rail.look(prepared)
    }
    if (payment.halted) return { state: 'halted' }
    noteSubmission(ctx, payment)
    await rail.submit(prepared)
    return await rail.look(prepared)
  } catch (error) {
    if (error instanceof Refusal) {
      const until = (await rail.progress?.(prepared))?.refusal?.refusedUntil.getTime() ?? 0
      const lookAgainInMs = until - ctx.clock.realNow().getTime()
      if (lookAgainInMs <= 0) throw error
      return { state: 'refused', lookAgainInMs }
    }
    const { rail: name, id } = payment
    ctx.log.warn({ err: error, rail: name, plan: String(id) }, 'A rail gave no clear answer; asking again.')
    return { state: 'unclear' }
  }
}

function noteSubmission({ payoutMemory, clock }: Ctx, { rail, plan_key: key, asset, amount }: PreparedPayment): void {
  payoutMemory.note({ rail, key, asset, amount: String(amount), at: clock.now().toISOString() })
}

/** Locks prepared payments that have not ended, and gives their states. */
export async function lockOpenPayments(db: Db, ids: bigint[]): Promise<Map<bigint, PreparedState>> {
  const rows = await db.sql<{ id: bigint; state: PreparedState }>`
    select id, state from plans where id = any(${ids}) and state = any(${openStates}) order by id for update`
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/** Whether a transaction has payouts that have not ended, refunds apart, and their rails have taken every one. */
export async function isPayoutSubmitted(db: Db, transactionId: bigint): Promise<boolean> {
  const open = await db.sql<{ state: PreparedState }>`
    select plans.state from payouts join plans on plans.id = plan_id
    where transaction_id = ${transactionId} and purpose = 'payout' and plans.state = any(${openStates})`
  return open.length > 0 && open.every(({ state }) => state === 'submitted')
}
