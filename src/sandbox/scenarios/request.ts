import type { CreatedTransaction, Ctx } from '../../exchange/context.ts'
import type { Atomic } from '../../platform/db/sql.ts'

/** The job that plays the next step of a scenario. Its key is the transaction's public id, the step's number, and what is kept. */
export const scenarioDue = 'scenario.due'

const requestForm = /^scenario:([\w-]{1,64})$/

/** The scenario that a partner requests by its own reference of a transaction, `scenario:NAME`. */
export const requestedScenario = (link: string | null): string | undefined => requestForm.exec(link ?? '')?.[1]

/** Has new transactions that request a scenario played from their first step on, once the block commits. */
export function enqueueScenarios(
  { clock, queue }: Pick<Ctx, 'clock' | 'queue'>,
  db: Atomic,
  created: readonly CreatedTransaction[],
): void {
  const requesting = created.filter(
    ({ kind, externalPartnerLinkId: link }) => kind === 'retail' && requestedScenario(link) !== undefined,
  )
  const runAt = clock.realNow()
  queue.enqueue(
    db,
    requesting.map(({ publicId }) => ({ kind: scenarioDue, key: `${publicId}:0:`, runAt, timebase: 'real' })),
  )
}
