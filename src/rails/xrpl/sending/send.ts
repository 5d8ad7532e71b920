import type { Atomic } from '../../../platform/db/sql.ts'
import { unclearTransfer, whoUsed } from '../../chain/ended.ts'
import { forgetRefusals, keepRefusals } from '../../chain/refusals.ts'
import { refuseForged, type StampedPayment } from '../../chain/stamp.ts'
import { payoutsHalted } from '../../halts.ts'
import { SignerRefusal } from '../../keys/signer.ts'
import type { Chain } from '../chain.ts'
import type { SignedPayment, Signer } from '../keys.ts'
import { accountIn, saidByAll } from '../agree.ts'
import { type AccountState, broadcast, readFee, readState, type OwnTransaction } from '../ledger.ts'
import { inFence, type Look } from './fence.ts'
import { endSignedBefore } from './signed-before.ts'
import * as queries from './queries.ts'

/** How many ledgers an attempt is valid for: more than a minute. */
const validFor = 20n
/** How many payments may wait for a ledger. Nodes queue ten of an account (rippled, "transaction queue"). */
const mostOpen = 10
/** An account that refuses payments without a tag (lsfRequireDestTag), and one that takes none but from those it allows (lsfDepositAuth). */
const requiresTag = 0x0002_0000n
const requiresConsent = 0x0100_0000n

/**
 * Sends what is due. Attempts are brought to the nodes until a ledger has their number, or none can take them any more: then another
 * attempt with the same number is made. Payouts that wait get the next numbers. While payouts are halted nothing new is signed; what
 * was signed before is still brought.
 */
export async function sendOnce(chain: Chain, look: Look): Promise<void> {
  const { db, network, signer } = chain
  if (!signer) return
  const halted = await db.atomic((block) => isHalted(chain, block))
  const open = await queries.openAttempts(db, network.code)
  for (const attempt of open) {
    if (attempt.raw !== null && look.agreed < attempt.last_ledger) await bring(chain, attempt.raw)
    else if (halted) continue
    else if (attempt.raw === null) await signAttempt(chain, signer, look, attempt)
    else await attemptAgain(chain, signer, look, attempt)
  }
  if (halted) return
  if (open.length < mostOpen) await sendWaiting(chain, signer, look, open)
}

/**
 * Stores attempts that only the signer's journal has, before the ledger that took them is final: a database that was restored would take
 * them for somebody else's. Gives the payments that do not end although their number is used.
 */
export async function learnAttempts(chain: Chain, sent: readonly OwnTransaction[]): Promise<bigint[]> {
  const { db, network, signer } = chain
  const unclear: bigint[] = []
  if (sent.length === 0 || !signer?.signedFor) return unclear
  for (const { id, plan_key: key, hash, sequence } of await queries.unknownAttempts(db, network.code, sent)) {
    const used = sent.find((one) => one.hash === hash)
    const who = await whoUsed(signer, key, { id: hash, places: [String(sequence)] })
    if (who === 'unclear') {
      unclear.push(id)
      await keepRefusals(chain, [key], unclearTransfer)
    } else if (used && who !== 'other') await queries.learnAttempt(db, id, { ...used, raw: who.raw })
  }
  return unclear
}

/** Ends payments in the block that makes their ledgers final. Gives what failed ones have cost, in drops. */
export async function endPayments(
  { network }: Chain,
  db: Atomic,
  { sent, unclear }: { sent: readonly OwnTransaction[]; unclear: readonly bigint[] },
): Promise<bigint> {
  if (sent.length === 0) return 0n
  const [ended] = await queries.endPayments(db, network.code, { sent, unclear })
  return ended?.cost ?? 0n
}

async function isHalted({ name, asset }: Chain, db: Atomic): Promise<boolean> {
  const halted = await payoutsHalted(db, name)
  return halted === 'all' || halted.has(asset)
}

async function sendWaiting(chain: Chain, signer: Signer, look: Look, open: readonly queries.Attempt[]): Promise<void> {
  const { db, network, account, log, clock } = chain
  const now = clock.realNow()
  const following = (after: bigint) => queries.waitingPayments(db, network.code, { now, after, limit: mostOpen })
  let waiting = await following(0n)
  if (waiting.length === 0) return
  // One node that names another number, reserve or recipient must not decide what is sent under which number, nor what never is.
  const { reserve, ownerReserve } = await saidByAll(chain, async (of) => {
    const said = await readState(of)
    return { reserve: said.reserve, ownerReserve: said.ownerReserve }
  })
  const state = await accountIn(chain, account, look.agreed)
  if (!state) throw new Error(`The account of ${network.code} is not funded.`)
  const fee = await feeNow(chain)
  const promised = open.reduce((sum, one) => sum + one.amount + one.fee, 0n)
  let available = state.balance - reserve - ownerReserve * state.owned - promised
  let places = mostOpen - open.length
  // Whatever keeps some back, those behind them have their turn.
  for (let payment = waiting.shift(); payment && places > 0; payment = waiting.shift()) {
    if (waiting.length === 0) waiting = await following(payment.id)
    const isShort = payment.amount + fee > available
    // What waits for coins may have left already: then it needs none.
    if ((payment.was_signed || isShort) && (await endSignedBefore(chain, signer, look, payment))) continue
    if (isShort) {
      log.warn({ network: network.code, payout: payment.plan_key }, 'A payout waits for coins.')
      continue
    }
    const refusal = refusalOf(payment, await accountIn(chain, payment.recipient, look.agreed), reserve)
    if (refusal !== undefined) {
      await giveUp(chain, signer, look, { payment, why: refusal })
      continue
    }
    const attempt = await numbered(chain, look, { payment, fee, next: state.sequence })
    if (!(await signAttempt(chain, signer, look, attempt))) continue
    available -= payment.amount + fee
    places -= 1
  }
}

/** Ends a payment that the ledger would not make, unless the signer has signed it before: it may be paid. */
async function giveUp(
  chain: Chain,
  signer: Signer,
  look: Look,
  { payment, why }: { payment: queries.Payment; why: string },
): Promise<void> {
  if (await endSignedBefore(chain, signer, look, payment)) return
  await inFence(chain, look, (block) => queries.giveUp(block, payment.id))
  chain.log.warn({ network: chain.network.code, payout: payment.plan_key }, why)
}

/** Why the ledger would not pay a recipient, and only take the fee; undefined where nothing is known against it. */
function refusalOf(
  { amount, tag }: queries.Payment,
  recipient: AccountState | undefined,
  reserve: bigint,
): string | undefined {
  if (!recipient) return amount < reserve ? 'A payout is too small to open the account of its recipient.' : undefined
  if (tag === null && (recipient.flags & requiresTag) !== 0n) return 'The recipient of a payout needs a tag.'
  if ((recipient.flags & requiresConsent) !== 0n) return 'The recipient of a payout takes none from strangers.'
  return undefined
}

/** What is offered now: what the next ledger asks for, within what the payouts have reserved. */
async function feeNow({ node, mostFee }: Chain): Promise<bigint> {
  const fee = await readFee(node)
  return fee > mostFee ? mostFee : fee
}

/** Writes down the number of a payment and its first attempt, before it is signed: after a crash the same is signed again. */
async function numbered(
  chain: Chain,
  look: Look,
  { payment, fee, next }: { payment: queries.Payment; fee: bigint; next: bigint },
): Promise<queries.Attempt> {
  const lastLedger = look.head + validFor
  return writeDown(chain, look, async (block) => {
    const [last] = await queries.lastSequence(block, chain.network.code)
    const after = (last?.sequence ?? 0n) + 1n
    const sequence = after > next ? after : next
    const taken = await queries.numberPayment(block, payment.id, sequence)
    if (taken.length === 0) throw new Error('A payout was ended before it got its number.')
    queries.insertAttempt(block, { id: payment.id, number: 1, lastLedger, fee })
    return { ...payment, sequence, number: 1, last_ledger: lastLedger, fee, raw: null }
  })
}

/** Makes another attempt under the same number, where no ledger can take the one before: both nodes have passed its last ledger. */
async function attemptAgain(chain: Chain, signer: Signer, look: Look, before: queries.Attempt): Promise<void> {
  const fee = await feeNow(chain)
  const attempt = { ...before, number: before.number + 1, last_ledger: look.head + validFor, fee, raw: null }
  const { id, number, last_ledger: lastLedger } = attempt
  await writeDown(chain, look, (block) => queries.insertAttempt(block, { id, number, lastLedger, fee }))
  await signAttempt(chain, signer, look, attempt)
}

/** The parts of a payment that are stamped. */
export const stampedBy = ({
  plan_key: payout,
  recipient,
  tag,
  amount,
}: Pick<queries.Payment, 'plan_key' | 'recipient' | 'tag' | 'amount'>): StampedPayment => ({
  payout,
  body: { recipient, tag: tag === null ? '' : String(tag), amount: String(amount) },
})

/** Signs an attempt that is written down, keeps it, and brings it to the nodes. False where the signer refuses: it waits on. */
async function signAttempt(chain: Chain, signer: Signer, look: Look, attempt: queries.Attempt): Promise<boolean> {
  const { network, log } = chain
  const { plan_key: payout, recipient, tag, amount, fee, sequence, last_ledger: lastLedger } = attempt
  let signed: SignedPayment
  try {
    refuseForged(chain, [{ ...stampedBy(attempt), stamp: attempt.stamp }])
    signed = await signer.sign({
      payout,
      destination: recipient,
      ...(tag === null ? {} : { tag: toSmall(tag) }),
      amount: String(amount),
      fee: String(fee),
      sequence: toSmall(sequence),
      lastLedger: toSmall(lastLedger),
    })
  } catch (error) {
    // A halted signer may have signed this before it was halted. Any other refusal means that it never did.
    if (!(error instanceof SignerRefusal) || error.code === 'halted') throw error
    await inFence(chain, look, async (block) => {
      queries.dropAttempt(block, attempt)
      await keepRefusals({ ...chain, db: block }, [payout], error)
    })
    log.warn({ err: error, network: network.code, payout }, 'The signer refused a payout; it waits.')
    return false
  }
  await inFence(chain, look, async (block) => {
    queries.keepSigned(block, attempt, signed)
    await forgetRefusals(block, network.code, [payout])
  })
  log.info({ network: network.code, hash: signed.hash, payout, fee: String(fee) }, 'Sent XRP.')
  await bring(chain, signed.raw)
  return true
}

/** Writes down what is to be signed, unless payouts are halted: after that it is signed and brought. */
const writeDown = <T>(chain: Chain, look: Look, write: (block: Atomic) => T | Promise<T>): Promise<T> =>
  inFence(chain, look, async (block) => {
    if (await isHalted(chain, block)) throw new Error(`Nothing is sent on ${chain.network.code} now: it was halted.`)
    return write(block)
  })

/** Hands bytes to both nodes. A no changes nothing: the same bytes are brought again, and the ledger decides. */
async function bring({ node, second, network, log }: Chain, raw: string): Promise<void> {
  for (const to of second ? [node, second] : [node]) {
    try {
      await broadcast(to, raw)
    } catch (error) {
      log.warn({ err: error, network: network.code }, 'A node did not take a payment; trying again.')
    }
  }
}

/** Numbers of the ledger have 32 bits. */
const toSmall = (number: bigint): number => Number.parseInt(String(number), 10)
