import type { Ctx } from '../../exchange/context.ts'
import type { Journal, Json } from '../../platform/db/journal.ts'
import type { Database, Db } from '../../platform/db/sql.ts'
import { within } from '../../platform/db/within.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { IdempotencyKey } from './idempotency-key.ts'
import * as queries from './queries.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where a POST that is more than one atomic block writes down what is done; `keepAnswers` sets it for every POST. */
    journal: Journal
  }
}

/** The journal of a request without an `Idempotency-Key`: it will not be known again, so nothing is written down. */
export const withoutKey = ({ db }: Pick<Ctx, 'db'>): Journal => ({
  once: (_step, work) => work(db),
  isDone: () => Promise.resolve(false),
})

/**
 * The journal of the work under one `Idempotency-Key`. Two processes that do the same step at the same time, because one of them
 * was taken for dead, wait for each other: the second finds it done.
 */
export const journalOf = ({ db }: Pick<Ctx, 'db'>, key: IdempotencyKey): Journal => ({
  once: <Given extends Json>(step: string, work: (db: Database) => Promise<Given>): Promise<Given> =>
    db.atomic(async (block) => {
      const isNew = await queries.beginStep(block, key, step)
      if (!isNew) return (await queries.stepGiven(block, key, step)) as Given
      const given = await work(within(block))
      queries.endStep(block, key, step, JSON.stringify(given))
      return given
    }),
  isDone: (step) => queries.isStepDone(db, key, step),
})

/**
 * Refuses IDEMPOTENCY_MISMATCH where another request under this key has left steps behind when its process died: what is half
 * done is finished by the request that began it, and by no other.
 */
export async function refuseOthersSteps(db: Db, key: IdempotencyKey): Promise<void> {
  if (await queries.hasOthersSteps(db, key)) {
    throw new Refusal('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was already used with a different request.')
  }
}
