import { createHash } from 'node:crypto'

import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { listingById } from '../../src/reference/catalog/asset.ts'
import {
  acceptNow,
  askForRefund,
  cancelByCustomer,
  customerChoices,
  giveRefundAddress,
} from '../../src/exchange/orders/choose.ts'
import { type Action, onDeal } from './action.ts'
import type { Deal } from './stage.ts'
import type { Worker } from './worker.ts'

const isHeld = ({ status }: Deal): boolean => status === 'on_hold'

/** Says where a refund goes, at an address that belongs to nobody. Tells whether it was asked for one. */
export async function sayWhereTo({ composition: { ctx } }: Worker, { publicId }: Deal): Promise<boolean> {
  const { refund_address: asked } = await customerChoices(ctx, publicId)
  const chain = asked && listingById(asked.asset)?.network.chain
  if (!chain) return false
  const seed = createHash('sha256').update(`refund of ${publicId}`).digest()
  await giveRefundAddress(ctx, publicId, { address: makeSandboxAddress(chain.family, seed), extraId: '' })
  return true
}

/** What customers answer when they are asked. */
export const decidingActions: readonly Action[] = [
  onDeal('accept', 6, isHeld, async ({ dice }, { composition: { ctx } }, { publicId }) => {
    const isBold = dice.chance(10)
    const { accept_price: late, exchange_what_came: little } = await customerChoices(ctx, publicId)
    const shown = (late ?? little)?.toAmount ?? 1n
    await acceptNow(ctx, publicId, { atLeast: isBold ? shown + 1n : shown })
  }),
  onDeal('ask for a refund', 5, isHeld, async (_stage, { composition: { ctx } }, { publicId }) => {
    await askForRefund(ctx, publicId)
  }),
  onDeal(
    'say where to',
    5,
    ({ details }) => details === 'address_needed',
    async (_stage, worker, deal) => ((await sayWhereTo(worker, deal)) ? undefined : 'not asked'),
  ),
  onDeal(
    'not want to',
    2,
    ({ status }) => status.startsWith('waiting') || status === 'new',
    async (_stage, worker, deal) => {
      await cancelByCustomer(worker.composition.ctx, deal.publicId)
    },
  ),
]
