import { withoutKey } from '../../doors/api/journal.ts'
import type { TestScenarios } from '../../doors/portal/test-scenarios.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Journal } from '../../platform/db/journal.ts'
import { on } from '../../platform/db/within.ts'
import type { DueWork } from '../../platform/jobs/due-work.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { findPartners } from '../../exchange/partners/known.ts'
import type { World } from '../rails.ts'
import { createTransaction } from '../../exchange/transactions/create.ts'
import { nothingOptional } from '../../exchange/transactions/create-input.ts'
import { advanceClock } from './clock.ts'
import { eachOnce, type Patience } from './each-once.ts'
import { untilRecord } from './pass-identity-check.ts'
import type { IdentityContext } from '../identity/provider.ts'
import { amounts } from '../scenarios/amounts.ts'
import { coins } from '../scenarios/coins.ts'
import { cards } from '../scenarios/cards.ts'
import { deadlines } from '../scenarios/deadlines.ts'
import { holds } from '../scenarios/holds.ts'
import { payouts } from '../scenarios/payouts.ts'
import { prices } from '../scenarios/prices.ts'
import { refunds } from '../scenarios/refunds.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { straight } from '../scenarios/straight.ts'
import { unmatched } from '../scenarios/unmatched.ts'

export type { Scenario } from '../scenarios/scenario.ts'

/** The catalog: every way in which a transaction can end, as the sandbox plays it and docs/partner/scenarios.md prints it. */
export const scenarios: readonly Scenario[] = [
  ...straight,
  ...deadlines,
  ...amounts,
  ...prices,
  ...cards,
  ...coins,
  ...unmatched,
  ...holds,
  ...refunds,
  ...payouts,
]

/** A scenario as the API lists it. */
export const describeScenario = ({ name, title, steps, statuses, postings, events, ends_in }: Scenario) => ({
  name,
  title,
  steps,
  statuses,
  postings,
  events,
  ends_in,
})

/** What playing needs besides the context. */
type Stage = { world: World; identity: IdentityContext; work: readonly DueWork[] }

/**
 * Plays a scenario for a partner, through the same verbs as its programs and customers, and gives the transaction's id when
 * it is over. The clock moves for everyone where a scenario needs it to. Begun again with the same journal, it continues where it
 * was. Refuses an unknown name.
 */
export async function playScenario(
  ctx: Ctx,
  { world, identity, work }: Stage,
  { partnerId, name, journal }: { partnerId: bigint; name: string; journal: Journal },
): Promise<string> {
  const scenario = scenarios.find((one) => one.name === name)
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  if (!scenario || !partner) throw new Refusal('NOT_FOUND', 'There is no such scenario.')

  const id = await journal.once('create', async (db) => {
    const read = { input: { ...nothingOptional, ...scenario.exchange }, problems: [], warnings: [] }
    return (await createTransaction(on(ctx, db), partner, read)).record.id
  })
  const cast = { partnerId, publicId: BigInt(id), name }
  await eachOnce({ ctx, world, journal, patience: patienceOf(ctx, { identity, work }, cast) }, scenario.steps, cast)
  return id
}

/** The same as the portal plays it: a form that is sent twice plays two orders. */
export const forPortal = (ctx: Ctx, stage: Stage): TestScenarios => ({
  list: scenarios,
  play: (partnerId, name) => playScenario(ctx, stage, { partnerId, name, journal: withoutKey(ctx) }),
})

/** Moves the clock where time must pass. */
const patienceOf = (
  ctx: Ctx,
  { identity, work }: Omit<Stage, 'world'>,
  actor: { partnerId: bigint; publicId: bigint },
): Patience => ({
  until: (isReached) => untilRecord(ctx, identity, actor, isReached),
  moment: async (at) => void (await advanceClock(ctx, work, at.getTime() - ctx.clock.now().getTime())),
})
