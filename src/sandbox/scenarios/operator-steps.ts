import { findNetwork } from '../../reference/catalog/network.ts'
import { capital, held } from '../../exchange/ledger/account.ts'
import { balanceOf, reserve, settleReserves } from '../../exchange/ledger/balance.ts'
import { entry } from '../../exchange/ledger/entry.ts'
import { post } from '../../exchange/ledger/post.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { resumeCrediting } from '../../exchange/settlement/halts.ts'
import { createOperator, listOperators, type Operator } from '../../exchange/operators/operator.ts'
import { moveCoins } from '../rails.ts'
import { approvePayout } from '../../exchange/settlement/approval.ts'
import { payoutMethodOf } from '../../exchange/transactions/method.ts'
import { readTransactionWhole } from '../../exchange/transactions/load.ts'
import {
  cancelTransaction,
  holdTransaction,
  refundTransaction,
  releaseTransaction,
} from '../../exchange/operations/staff.ts'
import { matchSuspense, returnSuspense } from '../../exchange/operations/suspense.ts'
import * as queries from '../api/queries.ts'
import { NotYet, type Scene, type AnyRecord, type Step } from './step.ts'

/** Who decides in scenarios, as the audit names them: nobody of the operator's staff has. */
const actor = 'sandbox:operator'

const orderOf = ({ name }: Scene) => ({ reason: `The scenario ${name} asks for it.`, actor })

const isHeldWithMoney = ({ status, from_amount: amount, refunds }: AnyRecord): boolean =>
  status === 'on_hold' && amount !== '0' && refunds.every(({ status: refund }) => refund === 'paid')
const isHeldWithout = ({ status, from_amount: amount }: AnyRecord): boolean => status === 'on_hold' && amount === '0'
const isReadyToPay = ({ status }: AnyRecord): boolean => status === 'waiting_for_deposit'

async function wholeOf({ ctx, publicId }: Scene) {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return transaction
}

async function refundPart(scene: Scene): Promise<void> {
  const { fromAmount } = await wholeOf(scene)
  await refundTransaction(scene.ctx, scene.publicId, { ...orderOf(scene), amount: (fromAmount * 3n) / 10n })
}

/** Finds a deposit without an owner by the rail's id of its payment, which the step that paid it has kept. */
async function strayDeposit({ ctx, kept }: Scene): Promise<bigint> {
  const [deposit] = kept === null ? [] : await queries.strayDeposit(ctx.db, kept)
  if (!deposit) throw new NotYet()
  return deposit.id
}

async function approve(scene: Scene, who: string): Promise<void> {
  await approvePayout(scene.ctx, scene.publicId, await operatorOf(scene, `${who}@sandbox.invalid`))
}

/** One of the sandbox's own operators, made when it is first needed, with a password that nobody knows. */
async function operatorOf({ ctx }: Scene, email: string): Promise<Operator> {
  const known = (await listOperators(ctx)).find((one) => one.email === email)
  return known ?? createOperator(ctx, { email, password: randomToken(24) }, 'sandbox')
}

/** The account and the asset that a transaction is paid out from. */
async function purseOf(scene: Scene) {
  const { ctx } = scene
  const transaction = await wholeOf(scene)
  const { to } = transaction
  const rail = ctx.rails.forPayout(payoutMethodOf(transaction).category, to.network.code)
  const network = findNetwork(to.network.code)
  if (!rail || !network) throw new Refusal('CONFLICT', 'This is not paid out of a wallet.')
  const asset = to.asset.id
  const fee = rail.payout.mostFee(asset)
  const needed = transaction.expectedTo + (fee?.asset === asset ? fee.amount : 0n)
  return { place: rail.custodyAccount, network, asset, needed }
}

/** The owner takes all coins of a wallet home, from the chain and from the books; what is promised to others stays theirs. */
async function takeHome(scene: Scene): Promise<string> {
  const { ctx } = scene
  const { place, network, asset, needed } = await purseOf(scene)
  return ctx.db.atomic(async (db) => {
    const amount = await balanceOf(db, held(place), asset)
    if (amount === 0n) return String(needed)
    const [isFree] = await reserve(db, [{ place, asset, amount }])
    if (!isFree) throw new NotYet()
    settleReserves(db, [{ place, asset, amount, fee: 0n }])
    await post(db, ctx, [entry(await capitalMove(scene), [{ debit: capital, credit: held(place), asset, amount }])])
    await moveCoins(db, network, asset, -amount)
    return String(amount)
  })
}

async function bringBack(scene: Scene): Promise<void> {
  const { ctx, kept, publicId } = scene
  if ((await queries.waitingPayouts(ctx.db, publicId)).length === 0) throw new NotYet()
  const { place, network, asset } = await purseOf(scene)
  const amount = BigInt(kept ?? '0')
  await ctx.db.atomic(async (db) => {
    await moveCoins(db, network, asset, amount)
    await post(db, ctx, [entry(await capitalMove(scene), [{ debit: held(place), credit: capital, asset, amount }])])
  })
}

const capitalMove = async ({ ctx }: Scene) =>
  ({ transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() }) as const

async function resume(scene: Scene): Promise<void> {
  const { from } = await wholeOf(scene)
  const rail = scene.ctx.rails.forDeposit('CRYPTO', from.network.code)
  if (!rail) throw new Refusal('CONFLICT', 'This was paid on no chain.')
  await resumeCrediting(scene.ctx, rail.name, orderOf(scene))
}

/** What operators do, by the names that the catalog prints. The sandbox plays them itself. */
export const operatorSteps = {
  'an operator holds it': {
    ready: isReadyToPay,
    change: (scene) => holdTransaction(scene.ctx, scene.publicId, orderOf(scene)).then(() => null),
  },
  'an operator releases it': {
    ready: isHeldWithMoney,
    change: (scene) => releaseTransaction(scene.ctx, scene.publicId, orderOf(scene)).then(() => null),
  },
  'an operator refunds it': {
    ready: isHeldWithMoney,
    change: (scene) => refundTransaction(scene.ctx, scene.publicId, orderOf(scene)).then(() => null),
  },
  'an operator refunds a part': { ready: isHeldWithMoney, change: refundPart },
  'an operator cancels it': {
    ready: (record) => isReadyToPay(record) || isHeldWithout(record),
    change: (scene) => cancelTransaction(scene.ctx, scene.publicId, orderOf(scene)).then(() => null),
  },
  'an operator matches the money': {
    change: async (scene) => {
      await matchSuspense(scene.ctx, await strayDeposit(scene), scene.publicId, orderOf(scene))
    },
  },
  'an operator sends the money back': {
    change: async (scene) => {
      await returnSuspense(scene.ctx, await strayDeposit(scene), orderOf(scene))
    },
  },
  'the first operator approves': {
    ready: ({ status, status_history: history }) =>
      status === 'on_hold' && history.some((move) => move.status === 'exchanging'),
    change: (scene) => approve(scene, 'first-approver'),
  },
  'the second operator approves': { change: (scene) => approve(scene, 'second-approver') },
  'the owner takes the coins home': { ready: isReadyToPay, change: takeHome },
  'the owner brings the coins back': { ready: ({ status }) => status === 'exchanging', change: bringBack },
  'an operator resumes the rail': { ready: ({ errors }) => errors.length > 0, change: resume },
} as const satisfies Record<string, Step>
