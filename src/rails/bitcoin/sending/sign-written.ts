import type { Atomic } from '../../../platform/db/sql.ts'
import { forgetRefusals } from '../../chain/refusals.ts'
import { refuseForged, type StampedPayment } from '../../chain/stamp.ts'
import { payoutsHalted } from '../../halts.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import type { Chain } from '../chain.ts'
import type { SignedTransfer } from '../keys.ts'
import { lockFollow } from '../../chain/follows.sql.ts'
import type { Batch } from './batch.ts'
import * as queries from './queries.ts'

/** Whether an error means that there is no signature. A halted signer may have signed before it was halted. */
export const isRefused = (error: unknown): error is SignerRefusal =>
  error instanceof SignerRefusal && error.code !== 'halted'

/** Asked where something is written down: nothing new is signed once a halt is written. */
export async function isHalted({ name, rules }: Chain, db: Atomic): Promise<boolean> {
  const halted = await payoutsHalted(db, name)
  return halted === 'all' || halted.has(rules.asset)
}

/** Writes down what is to be signed: under the lease's fence, while nothing is halted. */
export const inFence = <T>(chain: Chain, fence: bigint, write: (block: Atomic) => T | Promise<T>): Promise<T> =>
  chain.db.atomic(async (block) => {
    const { code } = chain.network
    const [locked] = await lockFollow(block, code, fence)
    if (locked?.halted !== null || (await isHalted(chain, block))) {
      throw new Error(`Nothing is sent on ${code} now: another process follows it, or it was halted.`)
    }
    return write(block)
  })

/** Writes down a transfer with its first attempt, before the signer is asked. Gives its id. */
export const writeSend = (chain: Chain, fence: bigint, { payments, selection }: Batch): Promise<bigint> => {
  const { inputs, change, fee, size } = selection
  const ids = payments.map(({ id }) => id)
  return inFence(chain, fence, (block) =>
    queries.insertSend(block, chain.network.code, {
      payments: ids,
      inputs,
      attempt: { number: 1, change, fee, size, at: chain.clock.now() },
    }),
  )
}

/**
 * Signs the attempt of a transfer that is written down, from what is written down alone: asked again after a crash, the signer gives
 * the same bytes again. Keeps them and gives them. Where the signer refuses there are no bytes: the attempt is given up, and the
 * refusal is thrown on.
 */
export async function signWritten(chain: Chain, fence: bigint, sendId: bigint): Promise<string> {
  const { db, network, rules, wallet, log } = chain
  const [attempt] = await queries.unsignedAttempt(db, sendId)
  if (!attempt) throw new Error('A transfer has no attempt that is to be signed.')
  const { number, change, fee } = attempt
  const payments = await queries.paymentsOf(db, sendId)
  let signed: SignedTransfer
  try {
    signed = await sign(chain, sendId, payments, change)
  } catch (error) {
    if (!isRefused(error)) throw error
    await db.atomic(async (block) => {
      const [locked] = await lockFollow(block, network.code, fence)
      if (locked) queries.dropUnsigned(block, sendId, number)
    })
    throw error
  }
  if ((await queries.keepSigned(db, { sendId, number }, signed)).length === 0) {
    throw new Error(`Nothing is sent on ${network.code} now: another process has signed it, or given it up.`)
  }
  const keys = payments.map(({ payout }) => payout)
  await forgetRefusals(db, network.code, keys)
  log.info(
    { network: network.code, txid: signed.txid, payouts: payments.length, fee: String(fee) },
    `Sent ${rules.asset} from ${wallet.address}.`,
  )
  return signed.raw
}

/** The parts of a payment that are stamped. */
export const stampedBy = (payment: { payout: string; script: string; amount: bigint }): StampedPayment => ({
  payout: payment.payout,
  body: { script: payment.script, amount: String(payment.amount) },
})

async function sign(
  chain: Chain,
  sendId: bigint,
  payments: readonly queries.WaitingPayment[],
  change: bigint,
): Promise<SignedTransfer> {
  const { db, signer, wallet } = chain
  if (!signer) throw new Error('There are no keys to sign with.')
  const stamped = payments.map((payment) => ({ ...stampedBy(payment), stamp: payment.stamp }))
  refuseForged(chain, stamped)
  const returned =
    change > 0n ? [{ script: wallet.script, amount: change, path: { branch: 1, position: 0n } as const }] : []
  const inputs = await queries.inputsOf(db, sendId)
  const outputs = payments.map(({ script, amount, payout }) => ({ script, amount, payout }))
  return signer.sign({ inputs, outputs: [...outputs, ...returned] })
}
