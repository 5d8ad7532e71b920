import type { Ctx } from '../context.ts'
import { importIdentity } from '../customers/import-identity.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { amend } from '../transactions/advance.ts'
import { lockTransaction, readTransactionWhole } from '../transactions/load.ts'

/**
 * Imports customers that a partner shares through an identity provider. The provider is called outside of any block, and again
 * later if it is down.
 */
export const importShared = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 2,
  run: async (jobs) => {
    for (const job of jobs) await importOne(ctx, job)
  },
})

async function importOne(ctx: Ctx, job: Job): Promise<void> {
  const publicId = BigInt(job.key)
  const outcome = await importFor(ctx, publicId)
  if ('waitMs' in outcome) {
    const at = after(ctx.clock.realNow(), outcome.waitMs)
    await ctx.queue.revisit([job], async (_db, held) => new Map(held.map(({ id }) => [id, { at, timebase: 'real' }])))
    return
  }
  await ctx.queue.finish([job], async (db, held) => {
    if (held.length > 0 && outcome.isKnown) await keep(ctx, db, publicId, outcome.partnerCustomerId)
  })
}

/** `isKnown`: there is a transaction to update. A refused token gives no customer. */
type Outcome = { waitMs: number } | { isKnown: boolean; partnerCustomerId?: bigint }

async function importFor(ctx: Ctx, publicId: bigint): Promise<Outcome> {
  try {
    const { partnerId, personal } = (await readTransactionWhole(ctx, ctx.db, publicId)) ?? {}
    const shared = personal?.sharedToken
    if (!shared || partnerId === undefined) return { isKnown: false }
    // An address that the partner did not pass is not the person's that it shares.
    const email = personal.passed === undefined ? (personal.email ?? undefined) : undefined
    const { profile } = await importIdentity(ctx, { ...shared, partnerId, email })
    return { isKnown: true, partnerCustomerId: profile.id }
  } catch (error) {
    if (error instanceof ErasedPerson) return { isKnown: false }
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'SERVICE_UNAVAILABLE') return { waitMs: (error.retryAfterSeconds ?? 30) * 1_000 }
    const problem = error.problems[0]?.code
    ctx.log.warn(
      { transaction: String(publicId), code: error.code, problem },
      'A shared token could not be taken over.',
    )
    return { isKnown: true }
  }
}

/** Removes the used token. A transaction without an e-mail address gets the customer it identified. */
async function keep(ctx: Ctx, db: Atomic, publicId: bigint, partnerCustomerId: bigint | undefined): Promise<void> {
  const transaction = await lockTransaction(ctx, db, publicId)
  if (!transaction) return
  const { sharedToken: _, ...personal } = transaction.personal
  amend(ctx, db, transaction, {
    personal,
    partnerCustomerId: transaction.partnerCustomerId ?? partnerCustomerId ?? null,
  })
}
