import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import {
  armRefusal,
  armTimeout,
  bounce,
  challenge,
  chargeback,
  decline,
  dispute,
  duplicate,
  reorg,
  reportUnknownStatus,
  voidPayment,
  type World,
} from '../rails.ts'
import { readTransactionWhole } from '../../exchange/transactions/load.ts'
import { payoutMethodOf } from '../../exchange/transactions/method.ts'
import { checkDestination } from '../../exchange/transactions/payout-destination.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { paymentOf } from './pay.ts'
import * as queries from './queries.ts'

/** What a rail may do besides taking and paying money. */
const railEvents = [
  'chargeback',
  'bounce',
  'decline',
  'reorg',
  'timeout',
  'duplicate',
  'unknown_word',
  'challenge',
  'void',
  'never',
  'dispute_opened',
  'dispute_won',
  'dispute_lost',
] as const

type Actor = { partnerId: bigint; publicId: bigint }

/** Makes a rail misbehave, or say something, about a transaction. */
export async function playRailEvent(
  ctx: Ctx,
  world: World,
  { type, ...actor }: Actor & { type: string },
): Promise<void> {
  const transaction = await ownTransaction(ctx, actor)
  switch (type) {
    case 'decline':
      return decline(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'chargeback':
      return chargeback(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'duplicate':
      return duplicate(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'unknown_word':
      return reportUnknownStatus(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'timeout':
      return armTimeout(world, recipientOf(ctx, transaction))
    case 'never':
      return armRefusal(world, coinsRecipientOf(ctx, transaction))
    case 'challenge':
      return challenge(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'void':
      return voidPayment(world, await paymentOf(ctx, actor.partnerId, actor.publicId))
    case 'dispute_opened':
      return dispute(world, await paymentOf(ctx, actor.partnerId, actor.publicId), 'opened')
    case 'dispute_won':
      return dispute(world, await paymentOf(ctx, actor.partnerId, actor.publicId), 'won')
    case 'dispute_lost':
      return dispute(world, await paymentOf(ctx, actor.partnerId, actor.publicId), 'lost')
    case 'bounce':
      return bounceLast(ctx, world, actor)
    case 'reorg':
      return undoBlocks(ctx, world, transaction, actor)
    default: {
      const message = `The type must be one of ${railEvents.join(', ')}.`
      throw new Refusal('BAD_REQUEST', message, [{ path: 'type', code: 'INVALID_VALUE', message }])
    }
  }
}

/** The payout destination as the rail knows it. */
function recipientOf(ctx: Ctx, transaction: Transaction): string {
  const { payoutAddress, payoutExtraId } = transaction.personal
  if (payoutAddress === null) throw new Refusal('CONFLICT', 'There is no payout address yet.')
  const what = { listing: transaction.to, method: payoutMethodOf(transaction) }
  const check = checkDestination(ctx, what, { address: payoutAddress, extraId: payoutExtraId ?? '' })
  return check.ok ? check.address : payoutAddress
}

/** The sandbox's chains can be made to refuse; its bank takes everything. */
function coinsRecipientOf(ctx: Ctx, transaction: Transaction): string {
  if (!transaction.to.network.chain) throw new Refusal('CONFLICT', 'Only a chain can be made to refuse a payout.')
  return recipientOf(ctx, transaction)
}

async function bounceLast(ctx: Ctx, world: World, { partnerId, publicId }: Actor): Promise<void> {
  const [last] = await queries.planned(ctx.db, partnerId, publicId)
  if (!last) throw new Refusal('CONFLICT', 'Nothing has been paid out yet.')
  await bounce(world, { rail: last.rail, planKey: last.plan_key })
}

/** Undoes the blocks with a transaction's transfers: its deposit where it was paid in coins, else its payout. */
async function undoBlocks(ctx: Ctx, world: World, { from, to }: Transaction, actor: Actor): Promise<void> {
  if (from.network.chain) {
    const { reference } = await paymentOf(ctx, actor.partnerId, actor.publicId)
    return reorg(world, { network: from.network.code, reference })
  }
  const plans = await queries.planned(ctx.db, actor.partnerId, actor.publicId)
  if (plans.length === 0) throw new Refusal('CONFLICT', 'This transaction has nothing on a chain yet.')
  return reorg(world, { network: to.network.code, planKeys: plans.map(({ plan_key }) => plan_key) })
}

async function ownTransaction(ctx: Ctx, { partnerId, publicId }: Actor): Promise<Transaction> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.partnerId !== partnerId)
    throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return transaction
}
