import { setTimeout as pause } from 'node:timers/promises'

import { after } from '../../../platform/lib/clock.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { forgetRefusals, keepRefusals } from '../../chain/refusals.ts'
import { refuseForged } from '../../chain/stamp.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import type { PlanBody } from '../../rail.ts'
import type { Chain } from '../chain.ts'
import type { SignedTransfer } from '../keys.ts'
import type { Movement } from '../transfer.ts'
import type { Fees } from './fees.ts'
import * as queries from './queries.ts'

/** A plan as it is submitted: its key, and whom it pays. */
export type Plan = { key: string; body: PlanBody }

/** What the plan asks of the chain. The body of a plan that brings gas to an address of ours names the address by its id. */
export const movementOf = ({ network }: Pick<Chain, 'network'>, { key, body }: Plan): Movement => ({
  network: network.code,
  asset: body.asset ?? '',
  amount: BigInt(body.amount ?? '0'),
  route: body.gasFor === undefined ? { payout: key, recipient: body.recipient ?? '' } : { gasFor: BigInt(body.gasFor) },
})

/** Signs what a plan asks under a nonce, if it is what its send was stamped for. */
export const sign = async (
  chain: Chain,
  plan: Plan,
  terms: Fees & { nonce: bigint; gas: bigint; stamp: Buffer | null },
): Promise<SignedTransfer> => {
  const { nonce, gas, maxFee, priorityFee, stamp } = terms
  refuseForged(chain, [{ payout: plan.key, body: plan.body, stamp }])
  const chainId = await chain.chainId()
  return chain.keys.sign({ ...movementOf(chain, plan), chainId, nonce, gas, maxFee, priorityFee })
}

/** How long a process has asked for a signature when another one may: longer than the signer's client waits for its answer. */
const askedForMs = 30_000
/** How often, and how many times, to look whether another process has got its answer. */
const pauseMs = 25
const looks = 400

/**
 * Asks for the first signature of a send and keeps it. `at` is when this process wrote down that it asks. Refuses with CONFLICT, and
 * gives the nonce up, what the signer refuses: it answers in order and nobody else asks, so that there is no signature.
 */
export async function signFirst(chain: Chain, send: queries.UnsignedSend, at: Date): Promise<void> {
  const { db, network } = chain
  const { id, plan_key: key, body, nonce, gas, max_fee: maxFee, priority_fee: priorityFee, stamp } = send
  let signed: SignedTransfer
  try {
    signed = await sign(chain, { key, body }, { nonce, gas, maxFee, priorityFee, stamp })
  } catch (error) {
    // A halted signer may have signed this before it was halted. Any other refusal means that it never did.
    if (!(error instanceof SignerRefusal) || error.code === 'halted') {
      await queries.leaveUnsigned(db, id, at)
      throw error
    }
    await db.atomic(async (block) => {
      await queries.lockWallet(block, network.code, send.sender)
      queries.dropUnsigned(block, network.code, send, at)
    })
    await keepRefusals(chain, [key], error)
    throw new Refusal('CONFLICT', `The signer refused a payout on ${network.name}: ${error.message}`)
  }
  const [kept] = await db.atomic((block) => queries.keepSigned(block, send, signed.hash))
  await forgetRefusals(db, network.code, [key])
  if (kept) return
  const [now] = await queries.sendOf(db, network.code, key)
  if (!now?.hashes.includes(signed.hash)) throw new Error('A send was signed after it had been given up.')
}

/**
 * Lets a send that is not signed have its end: it gets its signature, or the signer refuses. Where another process asks already,
 * waits for it. Fails where that takes too long.
 */
export async function endUnsigned(chain: Chain, send: queries.UnsignedSend): Promise<void> {
  const { db, network, clock, log } = chain
  for (let look = 0; look < looks; look += 1) {
    const at = clock.realNow()
    if ((await queries.takeUnsigned(db, send.id, at, after(at, -askedForMs))).length > 0) {
      return signFirst(chain, send, at).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        log.warn({ err: error, network: network.code, plan: send.plan_key }, 'The signer refused a payout; it waits.')
      })
    }
    const [now] = await queries.unsignedSend(db, network.code, send.sender)
    if (now?.id !== send.id) return
    await pause(pauseMs)
  }
  throw new Error(`Another process has asked for a signature on ${network.code} and has no answer yet.`)
}

/** The send of a plan with its signature; undefined where it was not submitted, or the signer refused it. */
export async function signedSend(chain: Chain, { key }: Plan): Promise<queries.SendRow | undefined> {
  const { db, network, keys } = chain
  const [send] = await queries.sendOf(db, network.code, key)
  if (!send || send.hashes.length > 0) return send
  const [unsigned] = await queries.unsignedSend(db, network.code, keys.hot.toLowerCase())
  if (unsigned?.id === send.id) await endUnsigned(chain, unsigned)
  const [now] = await queries.sendOf(db, network.code, key)
  return now
}
