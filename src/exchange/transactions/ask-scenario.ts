import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Transaction } from './transaction.ts'

/** The job that plays the next step of a scenario. Its key is the transaction's public id, the step's number, and what is kept. */
export const scenarioDue = 'scenario.due'

const asks = /^scenario:([\w-]{1,64})$/

/** The scenario that a transaction's partner asks for by its own reference, `scenario:NAME`. */
export const scenarioOf = ({
  externalPartnerLinkId: link,
}: Pick<Transaction, 'externalPartnerLinkId'>): string | undefined => asks.exec(link ?? '')?.[1]

/** In the sandbox, has new transactions that ask for a scenario played, from their first step on. */
export function askScenarios(ctx: Ctx, db: Atomic, created: Transaction[]): void {
  if (ctx.config.mode !== 'sandbox') return
  const asked = created.filter((one) => one.kind === 'retail' && scenarioOf(one) !== undefined)
  const runAt = ctx.clock.realNow()
  ctx.queue.enqueue(
    db,
    asked.map(({ publicId }) => ({ kind: scenarioDue, key: `${publicId}:0:`, runAt, timebase: 'real' })),
  )
}
