import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/refusal.ts'
import { findPartners } from '../partners/known.ts'
import type { Processor } from '../rails/sandbox.ts'
import { createTransaction } from '../transactions/create.ts'
import { ended, type Status } from '../transactions/lifecycle.ts'
import { readTransaction } from '../transactions/read.ts'
import { advanceClock, type DueWork } from './clock.ts'
import { completeCheckout, payDeposit, playRailEvent } from './drive.ts'

/** What can happen in a scenario, in words that are played and printed alike. */
type Step = 'create' | 'checkout' | 'pay' | 'decline' | 'rail times out' | 'pass the deadline' | 'wait for the end'

/** One story of a transaction, as data: what happens, and where it ends. */
export type Scenario = { name: string; title: string; steps: Step[]; ends_in: Status }

/** The stories that the sandbox plays. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'card-buy',
    title: 'A buy paid by card, coins go out',
    steps: ['create', 'checkout', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'declined-then-paid',
    title: 'The first card is declined, the second pays',
    steps: ['create', 'checkout', 'decline', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'payout-timeout',
    title: 'The chain takes the payout and does not answer: it is found, not sent again',
    steps: ['create', 'checkout', 'rail times out', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'never-paid',
    title: 'The customer completes the checkout and never pays',
    steps: ['create', 'checkout', 'pass the deadline'],
    ends_in: 'expired',
  },
  {
    name: 'never-opened',
    title: 'The customer never comes',
    steps: ['create', 'pass the deadline'],
    ends_in: 'expired',
  },
]

/** What playing needs besides the context. */
type Stage = { processor: Processor; work: DueWork[] }

/**
 * Plays a scenario for a partner, through the same verbs as its programs and customers, and gives the transaction's id when
 * it is over. The clock moves for everyone where a scenario needs it to. Refuses an unknown name.
 */
export async function playScenario(
  ctx: Ctx,
  stage: Stage,
  { partnerId, name }: { partnerId: bigint; name: string },
): Promise<string> {
  const scenario = scenarios.find((one) => one.name === name)
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  if (!scenario || !partner) throw new Refusal('NOT_FOUND', 'There is no such scenario.')

  const { record } = await createTransaction(ctx, partner, { input: cardBuy, problems: [], warnings: [] })
  const publicId = BigInt(record.id)
  for (const step of scenario.steps) await play(ctx, stage, { partnerId, publicId }, step)
  return record.id
}

const cardBuy = {
  fromCurrency: 'EUR',
  fromNetwork: undefined,
  toCurrency: 'BTC',
  toNetwork: undefined,
  fromAmount: '100',
  depositCategory: undefined,
  skipChoosePaymentCategory: false,
  payoutAddress: undefined,
  payoutExtraId: undefined,
  skipChoosePayoutAddress: false,
  email: undefined,
  phoneNumber: undefined,
  customerIp: undefined,
  countryOverride: undefined,
  redirects: { successful: undefined, cancelled: undefined, failed: undefined },
  externalPartnerLinkId: undefined,
  locale: undefined,
  billing: undefined,
}

type Actor = { partnerId: bigint; publicId: bigint }

async function play(ctx: Ctx, { processor, work }: Stage, actor: Actor, step: Step): Promise<void> {
  switch (step) {
    case 'create':
      return
    case 'checkout':
      await completeCheckout(ctx, actor.partnerId, actor.publicId, {})
      return
    case 'pay':
      await payDeposit(ctx, processor, { ...actor, deposit: {} })
      return
    case 'decline':
      await playRailEvent(ctx, processor, { ...actor, type: 'decline' })
      return
    case 'rail times out':
      await playRailEvent(ctx, processor, { ...actor, type: 'timeout' })
      return
    case 'pass the deadline': {
      const record = await recordOf(ctx, actor)
      await advanceClock(ctx, work, Date.parse(record.expires_at) - ctx.clock.now().getTime() + 1_000)
      return
    }
    case 'wait for the end':
      await untilEnded(ctx, actor)
  }
}

const patienceMs = 20_000

async function untilEnded(ctx: Ctx, actor: Actor): Promise<void> {
  const until = ctx.clock.realNow().getTime() + patienceMs
  while (ctx.clock.realNow().getTime() < until) {
    const { status } = await recordOf(ctx, actor)
    if (ended.has(status) || status === 'on_hold') return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Refusal('SERVICE_UNAVAILABLE', 'The scenario did not come to its end in time.')
}

async function recordOf(ctx: Ctx, { partnerId, publicId }: Actor) {
  const record = await readTransaction(ctx, partnerId, publicId)
  if (!record) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return record
}
