import { createHash } from 'node:crypto'

import { makeSandboxAddress } from '../../addresses/address.ts'
import { networks, type Network } from '../../catalog/network.ts'
import { nativeAsset } from '../../catalog/sync-assets.ts'
import type { Database, Db } from '../../db/sql.ts'
import type { Clock } from '../../lib/clock.ts'
import { gather } from '../../lib/gather.ts'
import { parseAmount } from '../../money/amount.ts'
import type { PayoutOrder, PayoutRail, PlanBody, PlanDraft, PlanOutcome } from '../rail.ts'
import * as queries from './queries.ts'

/** What the sandbox's chains stand on. A block comes every second of real time, whether anybody looks or not. */
export type ChainWorld = { db: Database; clock: Clock }

const blockMs = 1_000

/** What one transfer costs its sender, in whole native coins. */
const transferCosts: Record<Network['family'], string> = { bitcoin: '0.00001', evm: '0.0004', tron: '1.1' }

/** Every chain of the sandbox as a way to pay out. */
export const chainRails = (world: ChainWorld): PayoutRail[] => networks.map((network) => chainRail(world, network))

/** The exchange's own wallet on a sandbox chain. */
export const hotAddress = ({ family, code }: Network): string =>
  makeSandboxAddress(family, createHash('sha256').update(`cambio hot wallet ${code}`).digest())

function chainRail(world: ChainWorld, network: Network): PayoutRail {
  const sender = hotAddress(network)
  const gas = nativeAsset(network)
  const fee = parseAmount(transferCosts[network.family], gas)
  const send = gather((plans: PlanBody[]) => submitAll(world, network, plans))
  const look = gather((nonces: string[]) => lookAll(world, network, nonces), { most: 256 })

  return {
    name: `sandbox-${network.code.toLowerCase()}`,
    place: `wallet-${network.code.toLowerCase()}`,
    lookAfterMs: blockMs,
    prepare: async (orders) => orders.map((order) => planOf(order, sender, { asset: gas.id, amount: fee })),
    submit: async ({ body }) => {
      const answered = await send(body)
      if (!answered) throw new Error('The node did not answer in time.')
    },
    look: ({ key }) => look(key),
    owns: (address) => address === sender,
    balance: async (asset) => (await queries.balance(world.db, network.code, sender, asset))[0]?.balance ?? 0n,
  }
}

/** The nonce is the payout's own id: a second transfer for the same payout is one that the chain has seen. */
const planOf = (
  { payoutId, asset, amount, destination }: PayoutOrder,
  sender: string,
  fee: { asset: string; amount: bigint },
): PlanDraft => ({
  key: String(payoutId),
  payoutId,
  body: {
    sender,
    nonce: String(payoutId),
    recipient: destination.address,
    memo: destination.extraId,
    asset,
    amount: String(amount),
    feeAsset: fee.asset,
    fee: String(fee.amount),
  },
})

const currentBlock = ({ clock }: ChainWorld): bigint => BigInt(Math.trunc(clock.realNow().getTime() / blockMs))

/** Brings transfers to the chain: they are in its next block. Tells for each whether the node answered. */
async function submitAll(world: ChainWorld, network: Network, plans: PlanBody[]): Promise<boolean[]> {
  const block = currentBlock(world) + 1n
  await queries.takeTransfers(
    world.db,
    plans.map((plan) => transferRow(network, plan, block)),
  )
  const silent = await queries.takeFaults(
    world.db,
    plans.map(({ recipient = '' }) => recipient),
    'timeout',
  )
  const unanswered = new Set(silent.map(({ reference }) => reference))
  return plans.map(({ recipient = '' }) => !unanswered.has(recipient))
}

function transferRow({ code, family }: Network, plan: PlanBody, block: bigint): queries.TransferRow {
  const { sender = '', nonce = '', recipient = '', memo = '', asset = '', feeAsset = '' } = plan
  const digest = createHash('sha256')
    .update([code, sender, nonce, recipient, asset, plan.amount].join('|'))
    .digest('hex')
  return {
    chain: code,
    hash: family === 'evm' ? `0x${digest}` : digest,
    sender,
    nonce,
    recipient,
    memo,
    asset,
    amount: BigInt(plan.amount ?? '0'),
    feeAsset,
    fee: BigInt(plan.fee ?? '0'),
    block,
  }
}

async function lookAll(world: ChainWorld, network: Network, nonces: string[]): Promise<PlanOutcome[]> {
  const found = await queries.transfers(world.db, network.code, hotAddress(network), nonces)
  const now = currentBlock(world)
  const known = new Map(found.map((transfer) => [transfer.nonce, transfer]))
  return nonces.map((nonce) => {
    const transfer = known.get(nonce)
    if (!transfer) return { state: 'never' }
    if (transfer.block > now) return { state: 'pending', lookAgainInMs: untilBlock(world, transfer.block) }
    return {
      state: 'done',
      evidence: { hash: transfer.hash, fee: { asset: transfer.fee_asset, amount: transfer.fee } },
    }
  })
}

const untilBlock = ({ clock }: ChainWorld, block: bigint): number =>
  Math.max(1, Number.parseInt(String(block * BigInt(blockMs)), 10) - clock.realNow().getTime() + 1)

/** Gives the exchange's wallet on a chain its first coins. Tells whether it was new. */
export const fundWallet = async (db: Db, network: Network, asset: string, amount: bigint): Promise<boolean> =>
  (await queries.fund(db, network.code, hotAddress(network), asset, amount)).length > 0

/** Makes the node silent about the next transfer to an address: it acts, and does not answer. */
export const armTimeout = ({ db, clock }: ChainWorld, recipient: string): Promise<unknown[]> =>
  queries.armFault(db, recipient, 'timeout', clock.realNow())
