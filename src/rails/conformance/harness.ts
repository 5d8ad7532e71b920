import assert from 'node:assert/strict'
import { it } from 'node:test'

import { Refusal } from '../../platform/lib/refusal.ts'
import { noCounterpart } from './no-counterpart.ts'
import type {
  CallbackRequest,
  DepositHalf,
  Destination,
  InstructionOrder,
  PayoutHalf,
  PayTo,
  PlanDraft,
  Rail,
  RailEvent,
} from '../rail.ts'

/**
 * What the conformance suite needs to drive one rail: its provider, played by a test server or the sandbox. Hooks that a rail has no
 * counterpart for are left out, and their tests with them; `describeRail` fails where the rail itself says that it has one.
 */
export type RailHarness = {
  rail: Rail
  /** The same rail as another process would open it: the same storage and provider, nothing in memory. */
  reopen(): Rail | Promise<Rail>
  /** An id that this rail has never seen. */
  nextId(): bigint
  /** Lets time pass until everything that was submitted is carried out. */
  settle(): Promise<void>
  /** Lets time pass until nothing is on its way; gives what the rail reported meanwhile, in order. */
  report(): Promise<RailEvent[]>
  deposits?: DepositHarness
  payouts?: PayoutHarness
  callbacks?: CallbackHarness
  /** The provider, or each of its nodes, can't be reached until it comes back. */
  goDown?(): Promise<void> | void
  comeBack?(): Promise<void> | void
}

/** An order with its payment instructions. */
export type Instruction = InstructionOrder & { reference: string; payTo: PayTo }

/** Drives the deposit half. */
export type DepositHarness = {
  category: string
  asset: string
  /** What is paid each time, in smallest units. */
  amount: bigint
  /** What an event's `body` may carry besides `payment` and `status`: nothing that a person wrote. */
  bodyFields?: readonly string[]
  /** The customer pays what the instruction says. Gives the rail's id of the payment. */
  pay(instruction: Instruction): Promise<{ id: string }>
  /** Senders are accounts that many customers share, so no payment goes back to one. */
  sharedSenders?: true
  /** The same from a wallet that many people share, so that no sender is certain. */
  payPooled?(instruction: Instruction): Promise<{ id: string }>
  /** The rail reports once more what it reported last. */
  duplicate?(instruction: Instruction): Promise<void>
  /** The rail reports a status that this version does not know. */
  reportUnknown?(instruction: Instruction): Promise<void>
  /** The payer's side takes the payment back. CONFLICT where there is nothing, or nothing left. */
  reverse?(instruction: Instruction): Promise<void>
  /** It is no reversal but a void, so that what was reported is withdrawn. */
  voids?: true
  /** An attempt to pay fails. */
  decline?(instruction: Instruction): Promise<void>
  /** For rails with `deposit.disputes`. */
  dispute?: {
    open(instruction: Instruction): Promise<void>
    win(instruction: Instruction): Promise<void>
    lose(instruction: Instruction): Promise<void>
  }
}

/** Drives the payout half. */
export type PayoutHarness = {
  asset: string
  /** The form of the hash that proves a payment. */
  hash: RegExp
  /** Whether the custody account pays a fee for each payout. */
  costsFee: boolean
  /** What the suite counts its payouts in, in smallest units, where a rail carries no single ones; 1 by default. */
  unit?: bigint
  /** Far more than the custody account holds. */
  tooMuch: bigint
  /** A new destination that is not ours. */
  destination(): Promise<Destination> | Destination
  /** Addresses that are ours. */
  own: string[]
  /** The next submission to this destination is acted on, and its answer gets lost. */
  loseAnswer?(destination: Destination): Promise<void>
  /**
   * The payee's side sends a payout back. Refuses with CONFLICT if the payout was never carried out or was already sent back.
   */
  sendBack?(plan: PlanDraft): Promise<void>
}

/** For rails with `readCallback`. */
export type CallbackHarness = {
  /** Lets time pass until nothing is on its way; gives the provider's calls instead of delivering them. */
  take(): Promise<CallbackRequest[]>
  /** Signs any body as the provider would. */
  sign(body: string): CallbackRequest
  /** Puts the events of several calls into one, where the provider does so. */
  combine?(calls: CallbackRequest[]): CallbackRequest
}

/** A test of what not every rail has: it is skipped, and says so, where the harness lacks the hook for it. */
export const itWith = <Hook>(
  name: string,
  hook: () => Hook | undefined,
  test: (hook: Hook) => Promise<void>,
): unknown =>
  it(name, async (t) => {
    const found = hook()
    if (found === undefined) return t.skip(noCounterpart)
    await test(found)
  })

/** A harness whose rail takes deposits. */
export type DepositSetup = RailHarness & { deposit: DepositHalf; deposits: DepositHarness }
/** A harness whose rail makes payouts. */
export type PayoutSetup = RailHarness & { payout: PayoutHalf; payouts: PayoutHarness }

/** Fails where the rail has a deposit half and the harness does not drive it, or the other way round. */
export function withDeposits(harness: RailHarness): DepositSetup {
  const { rail, deposits } = harness
  assert(rail.deposit && deposits, 'A rail with a deposit half needs `deposits` in its harness, and only such a rail.')
  return { ...harness, deposit: rail.deposit, deposits }
}

/** The same for the payout half. */
export function withPayouts(harness: RailHarness): PayoutSetup {
  const { rail, payouts } = harness
  assert(rail.payout && payouts, 'A rail with a payout half needs `payouts` in its harness, and only such a rail.')
  return { ...harness, payout: rail.payout, payouts }
}

/** A new order for the amount that the harness pays. */
export const orderOf = ({ deposits, nextId }: DepositSetup, amount = deposits.amount): InstructionOrder => ({
  id: nextId(),
  category: deposits.category,
  asset: deposits.asset,
  amount,
})

/** A new order and how it is to be paid. */
export async function instructed(setup: DepositSetup): Promise<Instruction> {
  const order = orderOf(setup)
  return { ...order, ...(await setup.deposit.instruct(order)) }
}

/**
 * The events that are new. A rail that fetches a payment again may repeat what it has reported of it, under the same keys: they
 * are stored once.
 */
export const newEvents = (known: readonly RailEvent[], reported: readonly RailEvent[]): RailEvent[] =>
  reported.filter(({ key }) => known.every((event) => event.key !== key))

const refusedWith = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code

/** The refusal when the state does not allow something. */
export const isConflict = refusedWith('CONFLICT')
/** The refusal of a call that does not prove its sender. */
export const isBadSignature = refusedWith('SIGNATURE_INVALID')
/** The refusal of a call that cannot be read. */
export const isBadRequest = refusedWith('BAD_REQUEST')
