import type { Ctx } from '../../exchange/context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { on, within } from '../../platform/db/within.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { World } from '../rails.ts'
import { requestedScenario, scenarioDue } from '../scenarios/request.ts'
import { readTransactionWhole } from '../../exchange/transactions/load.ts'
import { recordOf } from '../../exchange/transactions/record.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import type { IdentityContext } from '../identity/provider.ts'
import { passIdentityCheck } from './pass-identity-check.ts'
import { scenarios } from './scenarios.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { NotYet } from '../scenarios/step.ts'
import { steps, type StepName } from '../scenarios/steps.ts'

/** What scenarios are played on. */
type Stage = { world: World; identity: IdentityContext }

/** How long, in real milliseconds, until a step that was not possible is tried again: at first, and at most. */
const soonMs = 100
const mostMs = 5_000

/** How often a step is refused before its story is given up. */
const mostAttempts = 6

/** How long, in business time, a scenario waits for its next step. */
const forgottenMs = 30 * 86_400_000

/**
 * Plays the scenarios that partners request when they create a transaction. Each step is a job that ends in the same block as the
 * step's changes, so that it happens once. The clock is left alone: where time has to pass, the scenario waits until it has.
 */
export const playRequested = (ctx: Ctx, stage: Stage): Handler => ({
  batch: 1,
  concurrency: 2,
  run: async (jobs) => {
    try {
      await ctx.queue.revisit(jobs, async (db, held) => new Map((await playAll(ctx, stage, db, held)).flat()))
    } catch (error) {
      const [job] = jobs
      if (error instanceof NotYet) return await tryAgain(ctx, jobs)
      if (!(error instanceof Refusal) || !job || job.attempts < mostAttempts) throw error
      ctx.log.warn({ err: error, key: job.key }, 'Stopped a scenario: its transaction was changed by somebody else.')
      await ctx.queue.finish(jobs, () => Promise.resolve())
    }
  },
})

function tryAgain(ctx: Ctx, jobs: Job[]): Promise<void> {
  const at = after(ctx.clock.realNow(), soonMs)
  return ctx.queue.revisit(jobs, async (_db, held) => new Map(held.map(({ id }) => [id, { at, timebase: 'real' }])))
}

const playAll = async (ctx: Ctx, stage: Stage, db: Atomic, jobs: Job[]): Promise<[bigint, Again][][]> => {
  const looked: [bigint, Again][][] = []
  for (const job of jobs) looked.push(await playNext(ctx, stage, db, job))
  return looked
}

/** Plays the step that a job stands for; gives when to look at it again, if it is not over. */
async function playNext(
  ctx: Ctx,
  { world, identity }: Stage,
  db: Atomic,
  { id, key }: Job,
): Promise<[bigint, Again][]> {
  const [publicId = '', number = '0', ...rest] = key.split(':')
  const transaction = await readTransactionWhole(ctx, db, BigInt(publicId))
  const scenario = transaction && fittingTo(transaction)
  const index = Number.parseInt(number, 10)
  const step = scenario?.steps[index]
  if (!transaction || !scenario || !step) return []
  if (!isPossible(ctx, transaction, step)) {
    await passIdentityCheck(ctx, identity, transaction.publicId)
    return lookAgain(ctx, transaction, id)
  }

  const given = await steps[step].change?.({
    partnerId: transaction.partnerId,
    publicId: transaction.publicId,
    name: scenario.name,
    ctx: on(ctx, within(db)),
    world: on(world, within(db)),
    sharedCtx: ctx,
    record: recordOf(ctx, transaction),
    kept: rest.join(':') || null,
  })
  const kept = typeof given === 'string' ? given : rest.join(':')
  const next = { kind: scenarioDue, key: `${publicId}:${index + 1}:${kept}`, runAt: ctx.clock.realNow() }
  if (index + 1 < scenario.steps.length) ctx.queue.enqueue(db, [{ ...next, timebase: 'real' }])
  return []
}

function isPossible(ctx: Ctx, transaction: Transaction, step: StepName): boolean {
  const { ready, moment } = steps[step]
  const record = recordOf(ctx, transaction)
  return (ready?.(record) ?? true) && (!moment || moment(record) <= ctx.clock.now())
}

/** The scenario that was asked for, where it is about what is exchanged; the amount is the partner's. */
function fittingTo(transaction: Transaction): Scenario | undefined {
  const name = requestedScenario(transaction.externalPartnerLinkId)
  const { from, to, personal: _, ...rest } = transaction
  return scenarios.find(({ name: known, exchange }) => {
    const isPaidSo =
      exchange.depositCategory === undefined || categoryOf(rest.depositMethod, from) === exchange.depositCategory
    const isExchanged = from.currency.ticker === exchange.fromCurrency && to.currency.ticker === exchange.toCurrency
    return known === name && isPaidSo && isExchanged
  })
}

const categoryOf = (type: string, { network }: Transaction['from']): string | undefined =>
  network.paymentMethods.find((method) => method.type === type)?.category

/** Rarer and rarer, the longer nothing has happened. */
function lookAgain(ctx: Ctx, { updatedAt }: Transaction, id: bigint): [bigint, Again][] {
  const idleMs = ctx.clock.now().getTime() - updatedAt.getTime()
  if (idleMs > forgottenMs) return []
  const waitMs = Math.min(mostMs, Math.max(soonMs, idleMs / 2))
  return [[id, { at: after(ctx.clock.realNow(), waitMs), timebase: 'real' }]]
}
