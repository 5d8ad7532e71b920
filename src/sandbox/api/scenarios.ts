import type { Ctx } from '../../exchange/context.ts'
import type { Journal } from '../../platform/db/journal.ts'
import { on } from '../../platform/db/within.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { findPartners } from '../../exchange/partners/known.ts'
import type { World } from '../rails.ts'
import { createTransaction } from '../../exchange/transactions/create.ts'
import type { CreateInput } from '../../exchange/transactions/create-input.ts'
import { readTransaction } from '../../exchange/transactions/read.ts'
import { advanceClock, type DueWork } from './clock.ts'
import { eachOnce, type Patience } from './each-once.ts'
import { amounts } from '../scenarios/amounts.ts'
import { coins } from '../scenarios/coins.ts'
import { cards } from '../scenarios/cards.ts'
import { deadlines } from '../scenarios/deadlines.ts'
import { holds } from '../scenarios/holds.ts'
import { payouts } from '../scenarios/payouts.ts'
import { prices } from '../scenarios/prices.ts'
import { refunds } from '../scenarios/refunds.ts'
import type { Exchange, Scenario } from '../scenarios/scenario.ts'
import type { Seen } from '../scenarios/step.ts'
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

/** A scenario as programs are told of it. */
export const toldOf = ({ name, title, steps, statuses, postings, events, ends_in }: Scenario) => ({
  name,
  title,
  steps,
  statuses,
  postings,
  events,
  ends_in,
})

/** What playing needs besides the context. */
type Stage = { processor: World; work: DueWork[] }

/**
 * Plays a scenario for a partner, through the same verbs as its programs and customers, and gives the transaction's id when
 * it is over. The clock moves for everyone where a scenario needs it to. Begun again with the same journal, it goes on where it
 * was. Refuses an unknown name.
 */
export async function playScenario(
  ctx: Ctx,
  { processor: world, work }: Stage,
  { partnerId, name, journal }: { partnerId: bigint; name: string; journal: Journal },
): Promise<string> {
  const scenario = scenarios.find((one) => one.name === name)
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  if (!scenario || !partner) throw new Refusal('NOT_FOUND', 'There is no such scenario.')

  const id = await journal.once('create', async (db) => {
    const read = { input: { ...nothingElse, ...scenario.exchange }, problems: [], warnings: [] }
    return (await createTransaction(on(ctx, db), partner, read)).record.id
  })
  const cast = { partnerId, publicId: BigInt(id), name }
  await eachOnce({ ctx, world, journal, patience: patienceOf(ctx, work, cast) }, scenario.steps, cast)
  return id
}

const nothingElse: Omit<CreateInput, keyof Exchange> = {
  fromNetwork: undefined,
  toNetwork: undefined,
  skipChoosePaymentCategory: false,
  payoutAddress: undefined,
  payoutExtraId: undefined,
  payoutHolder: undefined,
  skipChoosePayoutAddress: false,
  email: undefined,
  phoneNumber: undefined,
  customerIp: undefined,
  customerIpPath: 'customer.ip',
  countryOverride: undefined,
  redirects: { successful: undefined, cancelled: undefined, failed: undefined },
  externalPartnerLinkId: undefined,
  locale: undefined,
  billing: undefined,
}

/** Confirmations of the slowest chain, a second each, and a margin. */
const patienceMs = 60_000

type Actor = { partnerId: bigint; publicId: bigint }

/** Looks ten times a second, and moves the clock where time must pass. */
const patienceOf = (ctx: Ctx, work: DueWork[], actor: Actor): Patience => ({
  until: async (isReached) => {
    const deadline = ctx.clock.realNow().getTime() + patienceMs
    while (ctx.clock.realNow().getTime() < deadline) {
      const record = await recordOf(ctx, actor)
      if (isReached(record)) return record
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Refusal('SERVICE_UNAVAILABLE', 'The scenario did not come to its end in time.')
  },
  moment: async (at) => void (await advanceClock(ctx, work, at.getTime() - ctx.clock.now().getTime())),
})

async function recordOf(ctx: Ctx, { partnerId, publicId }: Actor): Promise<Seen> {
  const record = await readTransaction(ctx, partnerId, publicId)
  if (!record) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return record
}
