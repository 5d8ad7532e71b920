import { haltedRails, resumeCrediting } from '../../src/exchange/settlement/halts.ts'
import { approvePayout, listOpenPayouts } from '../../src/exchange/settlement/approval.ts'
import {
  cancelTransaction,
  holdTransaction,
  refundTransaction,
  releaseTransaction,
} from '../../src/exchange/operations/staff.ts'
import {
  listSuspense,
  matchSuspense,
  returnSuspense,
  writeOffSuspense,
} from '../../src/exchange/operations/suspense.ts'
import { type Action, onDeal } from './action.ts'
import type { Deal } from './stage.ts'

const isHeld = ({ status }: Deal): boolean => status === 'on_hold'
const order = { reason: 'the simulation', actor: 'simulation' }

/** What operators do: stop, let go on, give back, end, and find the owners of money that has none. */
export const operatorActions: readonly Action[] = [
  onDeal(
    'hold',
    2,
    ({ status }) => !['finished', 'expired', 'on_hold'].includes(status),
    async (_stage, worker, deal) => {
      await holdTransaction(worker.composition.ctx, deal.publicId, order)
    },
  ),
  onDeal('release', 8, isHeld, async (_stage, worker, deal) => {
    await releaseTransaction(worker.composition.ctx, deal.publicId, order)
  }),
  onDeal('refund', 6, isHeld, async (_stage, worker, deal) => {
    await refundTransaction(worker.composition.ctx, deal.publicId, order)
  }),
  onDeal(
    'refund anything',
    1,
    () => true,
    async (_stage, worker, deal) => {
      await refundTransaction(worker.composition.ctx, deal.publicId, order)
    },
  ),
  onDeal('refund a part', 2, isHeld, async ({ dice }, worker, deal) => {
    const amount = BigInt(dice.pick([1, 100, 1_000, 1_000_000, 1_000_000_000]))
    await refundTransaction(worker.composition.ctx, deal.publicId, { ...order, amount })
    return `${amount}`
  }),
  onDeal(
    'end',
    2,
    ({ status }) => isHeld({ status } as Deal) || status === 'waiting_for_deposit',
    async (_stage, worker, deal) => {
      await cancelTransaction(worker.composition.ctx, deal.publicId, order)
    },
  ),
  onDeal(
    'match',
    3,
    () => true,
    async ({ dice }, { composition: { ctx } }, deal) => {
      const rank = dice.below(3)
      const deposit = (await listSuspense(ctx)).at(-1 - rank)
      if (!deposit) return 'nothing'
      await matchSuspense(ctx, deposit.id, deal.publicId, order)
      return deposit.asset
    },
  ),
  onDeal('approve', 4, isHeld, async ({ dice, operators }, { composition: { ctx } }, { publicId }) => {
    const { approvals } = await approvePayout(ctx, publicId, dice.pick(operators))
    return `${approvals}`
  }),
  {
    name: 'approve what waits',
    weight: 4,
    isPossible: ({ deals }) => deals.length > 0,
    run: async ({ dice, operators }, { composition: { ctx } }) => {
      const [rank, operator] = [dice.below(3), dice.pick(operators)]
      const payout = (await listOpenPayouts(ctx, { waiting: true })).at(rank)
      if (!payout) return 'nothing'
      const { approvals } = await approvePayout(ctx, payout.id, operator)
      return `${payout.purpose} ${approvals}`
    },
  },
  {
    name: 'write off',
    weight: 1,
    isPossible: ({ deals }) => deals.length > 0,
    run: async ({ dice }, { composition: { ctx } }) => {
      const rank = dice.below(3)
      const deposit = (await listSuspense(ctx)).at(-1 - rank)
      if (!deposit) return 'nothing'
      await writeOffSuspense(ctx, deposit.id, order)
      return deposit.asset
    },
  },
  {
    name: 'resume a rail',
    weight: 4,
    isPossible: ({ deals }) => deals.length > 0,
    run: async (_stage, { composition: { ctx } }) => {
      const [first] = await haltedRails(ctx.db)
      if (!first) return 'none'
      await resumeCrediting(ctx, first.name, order)
      return first.name
    },
  },
  {
    name: 'return',
    weight: 2,
    isPossible: ({ deals }) => deals.length > 0,
    run: async ({ dice }, { composition: { ctx } }) => {
      const rank = dice.below(3)
      const deposit = (await listSuspense(ctx)).at(-1 - rank)
      if (!deposit) return 'nothing'
      await returnSuspense(ctx, deposit.id, order)
      return deposit.asset
    },
  },
]
