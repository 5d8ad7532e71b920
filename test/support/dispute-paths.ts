import assert from 'node:assert/strict'

import { readDispute } from '../../src/rails/hyperswitch/translation.ts'
import type { RailEvent } from '../../src/rails/rail.ts'
import type { Exchange } from './exchange.ts'
import { disputeStages, disputeStatuses, mayFollow } from './hyperswitch-world.ts'
import { lookup } from './journey.ts'
import { tellAndSettle } from './told-facts.ts'

/** A stage and a status of a dispute at Hyperswitch. */
export type DisputeStep = { dispute_stage: string; dispute_status: string }

export const disputeSteps: DisputeStep[] = disputeStages.flatMap((stage) =>
  disputeStatuses.map((status) => ({ dispute_stage: stage, dispute_status: status })),
)

/** Whether the processor withholds the money after one more step; `before`: whether it did. */
export function withheldAfter(before: boolean, { dispute_stage: stage, dispute_status: status }: DisputeStep): boolean {
  const isOver = ['dispute_won', 'dispute_cancelled'].includes(status)
  const isLost = ['dispute_lost', 'dispute_accepted'].includes(status)
  if (stage === 'pre_dispute') return isLost
  return isOver ? false : isLost || stage !== 'dispute_reversal' || before
}

/** Whether the processor withholds the money after these steps of one dispute. */
export const isWithheld = (path: readonly DisputeStep[]): boolean => path.reduce(withheldAfter, false)

/** What Hyperswitch tells of a dispute at a step, with what it must have been before. */
export const eventsAt = (
  { payment, reference }: { payment: string; reference: string },
  id: string,
  step: DisputeStep,
  { amount = '10000', currency = 'EUR' } = {},
): RailEvent[] =>
  readDispute({ dispute_id: id, payment_id: payment, amount, currency, ...step }).events.map((event) => ({
    ...event,
    reference,
    payment,
  }))

/** Every path through one stage that Hyperswitch allows. A step that is told again is no news. */
export function pathsWithin(stage: string): DisputeStep[][] {
  const own = disputeSteps.filter((step) => step.dispute_stage === stage)
  const after = (path: DisputeStep[]): DisputeStep[][] => {
    const last = path.at(-1)
    const next = own.filter((step) => step !== last && (last === undefined || mayFollow(last, step)))
    return next.flatMap((step) => [[...path, step], ...after([...path, step])])
  }
  return after([])
}

/** That 100 EUR came by card. */
export const arrivalOf = (name: string): RailEvent => ({
  key: `${name} final`,
  kind: 'deposit_final',
  reference: name,
  payment: name,
  asset: 'EUR-EUR',
  amount: 10_000n,
  body: {},
})

/** A payment with one dispute: the steps of it, and what is told of both. */
export type DisputedPayment = { name: string; path: DisputeStep[]; told: RailEvent[] }

/** Tells of payments, and compares what is left of each with what its steps say. */
export async function assertLeft(exchange: Exchange, paths: DisputedPayment[]): Promise<void> {
  await tellAndSettle(exchange, ...paths.flatMap(({ told }) => told))
  const left = await lookup<{ payment: string; left: string }>(
    exchange,
    'select payment, amount - taken_back as left from deposits where payment = any($1)',
    [paths.map(({ name }) => name)],
  )
  const leftOf = new Map(left.map((one) => [one.payment, one.left]))
  for (const { name, path } of paths) {
    // A payment that was withdrawn before it was told is not booked at all.
    assert.equal(leftOf.get(name) ?? '0', isWithheld(path) ? '0' : '10000', JSON.stringify(path))
  }
}
