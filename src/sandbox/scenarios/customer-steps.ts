import { createHash } from 'node:crypto'

import { makeSandboxAddress } from '../../reference/addresses/address.ts'
import { resolve } from '../../exchange/availability/resolve.ts'
import { listingById } from '../../reference/catalog/asset.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { findPartners } from '../../exchange/partners/known.ts'
import {
  acceptNow,
  askForRefund,
  cancelByCustomer,
  customerChoices,
  giveRefundAddress,
} from '../../exchange/orders/choose.ts'
import { ended } from '../../exchange/transactions/lifecycle.ts'
import { readTransactionWhole } from '../../exchange/transactions/load.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../../exchange/transactions/policy.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { completeCheckout } from '../api/complete-checkout.ts'
import { payDeposit, paymentOf, type TestDeposit } from '../api/pay.ts'
import type { Scene, AnyRecord, Step } from './step.ts'

const isReadyToPay = ({ status }: AnyRecord): boolean => status === 'waiting_for_deposit'
const isHeldFor =
  (...details: AnyRecord['status_details'][]) =>
  ({ status, status_details: held }: AnyRecord): boolean =>
    status === 'on_hold' && details.includes(held)
/** A deadline may have passed, and a person of ours may have stopped it: money comes when it comes. */
const isKnownToBank = ({ status }: AnyRecord): boolean => status !== 'new' && status !== 'waiting_for_customer'

const pay = ({ ctx, world, partnerId, publicId }: Scene, deposit: TestDeposit) =>
  payDeposit(ctx, world, { partnerId, publicId, deposit })

/** Pays a part of the amount due, in thousandths. */
async function payPart(scene: Scene, thousandths: bigint): Promise<void> {
  const { amount } = await paymentOf(scene.ctx, scene.partnerId, scene.publicId)
  await pay(scene, { units: (amount * thousandths) / 1_000n })
}

/** Pays more than can be exchanged at all, by as much as was agreed. */
async function payBeyondLimit(scene: Scene): Promise<void> {
  const { ctx, partnerId, publicId } = scene
  const transaction = await wholeOf(scene)
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  const { amount } = await paymentOf(ctx, partnerId, publicId)
  if (!partner) throw new Refusal('NOT_FOUND', 'There is no such partner.')
  const moment = momentOf(ctx, ctx.clock.now())
  const outcome = resolve(moment, termsOfPartner(partner, transaction.kind), askOfTransaction(transaction))
  if (!outcome.available) throw new Refusal('CONFLICT', 'This cannot be exchanged now.')
  await pay(scene, { units: outcome.exchange.range.max + amount })
}

/** Pays in euro half as much again as what two operators must look at. */
async function payAboveApproval(scene: Scene): Promise<void> {
  const limit = scene.ctx.policies.at(scene.ctx.clock.now(), 'approvals', scene.partnerId).rules.payoutsAboveEurCents
  if (limit === undefined)
    throw new Refusal('CONFLICT', 'No payout needs an approval here: the policy `approvals` asks for none.')
  await pay(scene, { units: (limit * 3n) / 2n })
}

async function wholeOf({ ctx, publicId }: Pick<Scene, 'ctx' | 'publicId'>): Promise<Transaction> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return transaction
}

/** Exchanges what is free at the price that the customer is shown now; if it has moved meanwhile, looks again, as a patient customer would. */
async function accept(scene: Scene, looks = 50): Promise<void> {
  const { ctx, publicId } = scene
  const { accept_price: price, exchange_what_came: part } = await customerChoices(ctx, publicId)
  const atLeast = (price ?? part)?.toAmount
  if (atLeast === undefined) throw new Refusal('CONFLICT', 'There is nothing to be accepted.')
  try {
    await acceptNow(ctx, publicId, { atLeast })
  } catch (error) {
    if (looks === 1 || !(error instanceof Refusal) || error.code !== 'CONFLICT') throw error
    await accept(scene, looks - 1)
  }
}

async function giveAddressForRefund({ ctx, publicId }: Scene): Promise<void> {
  const { refund_address: asked } = await customerChoices(ctx, publicId)
  const chain = asked && listingById(asked.asset)?.network.chain
  if (!chain) throw new Refusal('CONFLICT', 'No address is needed.')
  const seed = createHash('sha256').update(`refund of ${publicId}`).digest()
  await giveRefundAddress(ctx, publicId, { address: makeSandboxAddress(chain.family, seed), extraId: '' })
}

/** What customers do, by the names that the catalog prints. */
export const customerSteps = {
  'check out': {
    change: async ({ ctx, partnerId, publicId }) => void (await completeCheckout(ctx, partnerId, publicId, {})),
  },
  pay: { ready: isKnownToBank, change: async (scene) => void (await pay(scene, {})) },
  'pay a little less': { ready: isReadyToPay, change: (scene) => payPart(scene, 997n) },
  'pay too little': { ready: isReadyToPay, change: (scene) => payPart(scene, 600n) },
  'pay the rest': { ready: isHeldFor('underpaid'), change: (scene) => payPart(scene, 400n) },
  'pay half as much again': { ready: isReadyToPay, change: (scene) => payPart(scene, 1_500n) },
  'pay more than can be exchanged': { ready: isReadyToPay, change: payBeyondLimit },
  'pay more than one operator may let go': { ready: isHeldFor('review'), change: payAboveApproval },
  'pay once more': {
    ready: ({ status }) => status === 'finished',
    change: async (scene) => void (await pay(scene, {})),
  },
  'pay in another currency': {
    ready: isReadyToPay,
    change: async (scene) => void (await pay(scene, { amount: '70', currency: 'USD', network: 'USD' })),
  },
  'pay without the reference': {
    ready: isReadyToPay,
    change: async (scene) => (await pay(scene, { reference: 'for my order' })).deposit_id,
  },
  'pay too little out of a pool of many persons': {
    ready: isReadyToPay,
    change: async (scene) => {
      const { amount } = await paymentOf(scene.ctx, scene.partnerId, scene.publicId)
      await pay(scene, { units: (amount * 600n) / 1_000n, isPooled: true })
    },
  },
  'the customer cancels': {
    ready: isReadyToPay,
    change: ({ ctx, publicId }) => cancelByCustomer(ctx, publicId).then(() => null),
  },
  'the customer accepts the new price': { ready: isHeldFor('late'), change: (scene) => accept(scene) },
  'the customer wants what came exchanged': { ready: isHeldFor('underpaid'), change: (scene) => accept(scene) },
  'the customer wants it back': {
    ready: isHeldFor('underpaid', 'late', 'wrong_asset'),
    change: ({ ctx, publicId }) => askForRefund(ctx, publicId).then(() => null),
  },
  'the customer says where the refund goes': { ready: isHeldFor('address_needed'), change: giveAddressForRefund },
  'give another address': {
    ready: isHeldFor('address_needed'),
    change: async ({ ctx, partnerId, publicId }) => void (await completeCheckout(ctx, partnerId, publicId, {})),
  },
  'wait for the end': { ready: ({ status }) => ended.has(status) },
} as const satisfies Record<string, Step>
