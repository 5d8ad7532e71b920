import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

import { Transaction } from '@scure/btc-signer'

import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import type { PlanDraft } from '../../src/rails/rail.ts'
import { readTransfer } from '../../src/rails/bitcoin/wire.ts'
import type { BitcoinWorld } from './bitcoin-world.ts'

const asset = 'BTC-BTC'
let ids = 0n

/** An address of somebody outside, another one each time. */
const address = (): string =>
  makeSandboxAddress(
    'bitcoin',
    createHash('sha256')
      .update(`recipient ${(ids += 1n)}`)
      .digest(),
  )

/** A prepared payout, and whom it pays. */
export type PlannedPayout = PlanDraft & { address: string; amount: bigint }

export async function planned({ one }: BitcoinWorld, amount: bigint, to = address()): Promise<PlannedPayout> {
  const destination = { address: to, extraId: '', holder: '' }
  const [plan] = await one.payout.prepare([{ payoutId: (ids += 1n), asset, amount, destination }])
  assert(plan)
  return { ...plan, address: to, amount }
}

/** Prepares payouts and submits them. */
export async function submitted(world: BitcoinWorld, ...amounts: bigint[]): Promise<PlannedPayout[]> {
  const plans = await Promise.all(amounts.map((amount) => planned(world, amount)))
  await Promise.all(plans.map((plan) => world.one.payout.submit(plan)))
  return plans
}

/** One of them. */
export async function submittedOne(world: BitcoinWorld, amount: bigint): Promise<PlannedPayout> {
  const [plan] = await submitted(world, amount)
  return plan ?? assert.fail()
}

/** The evidence of a payout that must be done. */
export async function done({ one }: BitcoinWorld, plan: PlanDraft): Promise<{ hash: string; fee: bigint }> {
  const outcome = await one.payout.look(plan)
  assert(outcome.state === 'done', outcome.state)
  return { hash: outcome.evidence.hash, fee: outcome.evidence.fee?.amount ?? 0n }
}

export const stateOf = async ({ one }: BitcoinWorld, plan: PlanDraft): Promise<string> =>
  (await one.payout.look(plan)).state

/** What a transfer pays to the address of a payout. */
export async function paidTo({ node }: BitcoinWorld, txid: string, plan: PlannedPayout): Promise<bigint> {
  const transfer = Transaction.fromRaw(Buffer.from(await node.raw(txid), 'hex'), { allowUnknownOutputs: true })
  const regtest = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef }
  let sum = 0n
  for (let index = 0; index < transfer.outputsLength; index += 1) {
    if (transfer.getOutputAddress(index, regtest) === plan.address) sum += transfer.getOutput(index).amount ?? 0n
  }
  return sum
}

/** What a transfer spends. */
export const outpointsOf = (raw: string): string[] =>
  readTransfer(raw).inputs.map(({ txid, vout }) => `${txid}:${vout}`)

/** Nothing enters a mempool any more, as if the fee were too low. Gives what was brought. */
export function refuseTransfers({ node, second }: BitcoinWorld): string[] {
  const brought: string[] = []
  for (const one of [node, second]) {
    one.answering = (method, [raw], real) => {
      if (method !== 'sendrawtransaction') return real()
      brought.push(String(raw))
      return Promise.reject(Object.assign(new Error('min relay fee not met'), { code: -26 }))
    }
  }
  return brought
}

export function takeTransfers({ node, second }: BitcoinWorld): void {
  node.answering = undefined
  second.answering = undefined
}
