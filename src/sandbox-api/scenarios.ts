import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/refusal.ts'
import { findPartners } from '../partners/known.ts'
import type { World } from '../rails/sandbox.ts'
import { createTransaction } from '../transactions/create.ts'
import type { CreateInput } from '../transactions/create-input.ts'
import { ended, type Status } from '../transactions/lifecycle.ts'
import { readTransaction } from '../transactions/read.ts'
import { advanceClock, type DueWork } from './clock.ts'
import { completeCheckout, payDeposit, playRailEvent } from './drive.ts'

/** What can happen in a scenario, in words that are played and printed alike. */
type Step =
  | 'create'
  | 'checkout'
  | 'pay'
  | 'decline'
  | 'rail times out'
  | 'pass the deadline'
  | 'wait for the end'
  | 'charge back'
  | 'payout bounces'
  | 'give another address'
  | 'reorganise the chain'

/** One story of a transaction, as data: what is exchanged, what happens, and where it ends. */
export type Scenario = { name: string; title: string; steps: Step[]; ends_in: Status; exchange: Exchange }

/** What a scenario exchanges, as a create request says it. */
type Exchange = Pick<CreateInput, 'fromCurrency' | 'toCurrency' | 'fromAmount' | 'depositCategory'>

const byCard: Exchange = { fromCurrency: 'EUR', toCurrency: 'BTC', fromAmount: '100', depositCategory: 'VISA_MC' }
const byTransfer: Exchange = { ...byCard, fromAmount: '250', depositCategory: 'SEPA' }
const sale: Exchange = { fromCurrency: 'BTC', toCurrency: 'EUR', fromAmount: '0.01', depositCategory: undefined }
const swap: Exchange = { fromCurrency: 'BTC', toCurrency: 'ETH', fromAmount: '0.01', depositCategory: undefined }

/** The stories that the sandbox plays. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'card-buy',
    title: 'A buy paid by card, coins go out',
    exchange: byCard,
    steps: ['create', 'checkout', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'sepa-buy',
    title: 'A buy paid by bank transfer, priced when the money arrives',
    exchange: byTransfer,
    steps: ['create', 'checkout', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'sell',
    title: 'Coins come in, are confirmed, and euro go to a bank account',
    exchange: sale,
    steps: ['create', 'checkout', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'swap',
    title: 'Coins come in, are confirmed, and other coins go out',
    exchange: swap,
    steps: ['create', 'checkout', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'declined-then-paid',
    title: 'The first card is declined, the second pays',
    exchange: byCard,
    steps: ['create', 'checkout', 'decline', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'payout-timeout',
    title: 'The chain takes the payout and does not answer: it is found, not sent again',
    exchange: byCard,
    steps: ['create', 'checkout', 'rail times out', 'pay', 'wait for the end'],
    ends_in: 'finished',
  },
  {
    name: 'chargeback',
    title: 'The card payment is charged back after the coins have gone out: our loss, and the customer is marked',
    exchange: byCard,
    steps: ['create', 'checkout', 'pay', 'wait for the end', 'charge back'],
    ends_in: 'finished',
  },
  {
    name: 'payout-bounces',
    title: 'The bank sends the payout back; the customer gives another account',
    exchange: sale,
    steps: [
      'create',
      'checkout',
      'pay',
      'wait for the end',
      'payout bounces',
      'give another address',
      'wait for the end',
    ],
    ends_in: 'finished',
  },
  {
    name: 'reorganised-deposit',
    title: 'The block with the deposit is undone before it is final: nothing is credited, and the time to pay passes',
    exchange: sale,
    steps: ['create', 'checkout', 'pay', 'reorganise the chain', 'pass the deadline'],
    ends_in: 'expired',
  },
  {
    name: 'never-paid',
    title: 'The customer completes the checkout and never pays',
    exchange: byCard,
    steps: ['create', 'checkout', 'pass the deadline'],
    ends_in: 'expired',
  },
  {
    name: 'never-opened',
    title: 'The customer never comes',
    exchange: byCard,
    steps: ['create', 'pass the deadline'],
    ends_in: 'expired',
  },
]

/** What playing needs besides the context. */
type Stage = { processor: World; work: DueWork[] }

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

  const { record } = await createTransaction(ctx, partner, {
    input: { ...nothingElse, ...scenario.exchange },
    problems: [],
    warnings: [],
  })
  const publicId = BigInt(record.id)
  for (const step of scenario.steps) await play(ctx, stage, { partnerId, publicId }, step)
  return record.id
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
    case 'charge back':
      await playRailEvent(ctx, processor, { ...actor, type: 'chargeback' })
      await until(ctx, actor, ({ errors }) => errors.length > 0)
      return
    case 'payout bounces':
      await playRailEvent(ctx, processor, { ...actor, type: 'bounce' })
      await until(ctx, actor, ({ status }) => status === 'on_hold')
      return
    case 'give another address':
      await completeCheckout(ctx, actor.partnerId, actor.publicId, {})
      return
    case 'reorganise the chain':
      await until(ctx, actor, ({ status_details: details }) => details === 'confirming')
      await playRailEvent(ctx, processor, { ...actor, type: 'reorg' })
      await until(ctx, actor, ({ status_details: details }) => details === null)
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

/** Confirmations of the slowest chain, a second each, and a margin. */
const patienceMs = 60_000

const untilEnded = (ctx: Ctx, actor: Actor): Promise<void> =>
  until(ctx, actor, ({ status }) => ended.has(status) || status === 'on_hold')

async function until(ctx: Ctx, actor: Actor, isReached: (record: Seen) => boolean): Promise<void> {
  const deadline = ctx.clock.realNow().getTime() + patienceMs
  while (ctx.clock.realNow().getTime() < deadline) {
    if (isReached(await recordOf(ctx, actor))) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Refusal('SERVICE_UNAVAILABLE', 'The scenario did not come to its end in time.')
}

type Seen = Awaited<ReturnType<typeof recordOf>>

async function recordOf(ctx: Ctx, { partnerId, publicId }: Actor) {
  const record = await readTransaction(ctx, partnerId, publicId)
  if (!record) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return record
}
