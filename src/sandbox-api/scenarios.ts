import type { Ctx } from '../context.ts'
import type { Journal } from '../db/journal.ts'
import { on } from '../db/within.ts'
import { Refusal } from '../lib/refusal.ts'
import { findPartners } from '../partners/known.ts'
import type { World } from '../rails/sandbox.ts'
import { createTransaction } from '../transactions/create.ts'
import type { CreateInput } from '../transactions/create-input.ts'
import { ended, type Status } from '../transactions/lifecycle.ts'
import { readTransaction } from '../transactions/read.ts'
import { advanceClock, type DueWork } from './clock.ts'
import { completeCheckout, payDeposit, playRailEvent } from './drive.ts'
import { type Act, eachOnce } from './each-once.ts'

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
 * it is over. The clock moves for everyone where a scenario needs it to. Begun again with the same journal, it goes on where it
 * was. Refuses an unknown name.
 */
export async function playScenario(
  ctx: Ctx,
  stage: Stage,
  { partnerId, name, journal }: { partnerId: bigint; name: string; journal: Journal },
): Promise<string> {
  const scenario = scenarios.find((one) => one.name === name)
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  if (!scenario || !partner) throw new Refusal('NOT_FOUND', 'There is no such scenario.')

  const id = await journal.once('create', async (db) => {
    const read = { input: { ...nothingElse, ...scenario.exchange }, problems: [], warnings: [] }
    return (await createTransaction(on(ctx, db), partner, read)).record.id
  })
  const actor = { partnerId, publicId: BigInt(id) }
  const { processor: world, work } = stage
  await eachOnce({ ctx, world, journal }, scenario.steps, (step, act) => play(ctx, work, actor, { step, act }))
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

type Actor = { partnerId: bigint; publicId: bigint }

async function play(ctx: Ctx, work: DueWork[], actor: Actor, { step, act }: { step: Step; act: Act }): Promise<void> {
  const happens = (type: string, first?: () => Promise<void>) =>
    act((within, world) => playRailEvent(within, world, { ...actor, type }), first)
  switch (step) {
    case 'create':
      return
    case 'checkout':
      await act((within) => completeCheckout(within, actor.partnerId, actor.publicId, {}))
      return
    case 'pay':
      await act((within, world) => payDeposit(within, world, { ...actor, deposit: {} }))
      return
    case 'decline':
      await happens('decline')
      return
    case 'rail times out':
      await happens('timeout')
      return
    case 'charge back':
      await happens('chargeback')
      await until(ctx, actor, ({ errors }) => errors.length > 0)
      return
    case 'payout bounces':
      await happens('bounce')
      await until(ctx, actor, ({ status }) => status === 'on_hold')
      return
    case 'give another address':
      await act((within) => completeCheckout(within, actor.partnerId, actor.publicId, {}))
      return
    case 'reorganise the chain':
      await happens('reorg', () => until(ctx, actor, ({ status_details: details }) => details === 'confirming'))
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
