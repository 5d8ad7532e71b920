import { findNetwork, type Network } from '../reference/catalog/network.ts'
import { Refusal } from '../platform/lib/refusal.ts'
import type { DepositOrder, PayTo } from '../rails/rail.ts'
import * as bank from './bank/moves.ts'
import { bankName } from './bank/messages.ts'
import { queueCallbacks } from './callback.ts'
import * as coins from './chain/coins.ts'
import { cardName } from './processor/messages.ts'
import * as page from './processor/page.ts'
import { returnRefund } from './processor/refund.ts'
import type { World } from './world.ts'

/** How a customer is to pay, and on which rail. */
export type Payment = DepositOrder & {
  rail: string
  payTo: PayTo
  /** Whose card it is; without a name the processor does not say which card it was. */
  holder?: string
}

/** Who acts behind a rail: someone's page, the bank, or a chain. */
type Actor = { kind: 'page' } | { kind: 'bank' } | { kind: 'chain'; network: Network }

function actorOf(rail: string): Actor {
  if (page.isPageRail(rail)) return { kind: 'page' }
  if (rail === bankName) return { kind: 'bank' }
  const network = findNetwork(rail.replace(/^sandbox-/, ''))
  if (!network) throw new Refusal('NOT_FOUND', 'There is no such rail.')
  return { kind: 'chain', network }
}

/**
 * The customer pays, by whatever rail it is: at a page (paid twice is the same payment), by a bank transfer with the reference
 * as its text, in coins (paid twice is two payments). `reference` is what the customer writes instead of the right one: as the
 * transfer's text, as the memo. `isPooled`: coins that come out of a wallet that many persons send from, so that nobody can be paid back
 * there. Gives the rail's id of the payment, which every fact about it repeats, and a hash.
 */
export async function pay(
  world: World,
  payment: Payment,
  { reference, isPooled = false }: { reference?: string; isPooled?: boolean } = {},
): Promise<{ id: string; hash: string }> {
  const actor = actorOf(payment.rail)
  const { asset, amount, payTo } = payment
  switch (actor.kind) {
    case 'page':
      return page.payAtPage(world, { ...payment, reference: reference ?? payment.reference }, payment.holder)
    case 'bank': {
      const account = payTo.kind === 'account' ? payTo.account : ''
      return bank.transferIn(world, { account, asset, amount, remittance: reference ?? payment.reference })
    }
    case 'chain': {
      if (payTo.kind !== 'address') throw new Refusal('CONFLICT', 'This customer has no address to send coins to.')
      const extraId = reference ?? payTo.extraId
      const { address } = payTo
      return coins.sendCoins(world, { network: actor.network, asset, amount, address, extraId, isPooled })
    }
  }
}

/** Whether a customer has paid: coins that are not in a block yet count, an attempt at a page does not. */
export async function isPaid(world: World, { rail, reference }: Pick<Payment, 'rail' | 'reference'>): Promise<boolean> {
  const actor = actorOf(rail)
  switch (actor.kind) {
    case 'page':
      return (await page.paymentState(world, reference)) === 'captured'
    case 'bank':
      return (await bank.messagesAbout(world, reference)).length > 0
    case 'chain':
      return coins.isSent(world, actor.network, reference)
  }
}

/** The customer's attempt to pay at a page comes to nothing. Refuses rails without a page with CONFLICT. */
export async function decline(world: World, payment: Payment): Promise<void> {
  if (actorOf(payment.rail).kind !== 'page') throw new Refusal('CONFLICT', 'Nobody can decline on this rail.')
  await page.attempt(world, payment, 'declined')
}

/** The customer's bank wants to be sure who pays: an attempt that stops there until it is paid or voided. CONFLICT without a page. */
export async function challenge(world: World, payment: Payment): Promise<void> {
  if (actorOf(payment.rail).kind !== 'page')
    throw new Refusal('CONFLICT', 'Payments on this rail cannot be challenged.')
  await page.attempt(world, payment, 'challenge')
}

/** The processor voids a payment that was not captured. CONFLICT without a page, and where it is captured. */
export async function voidPayment(world: World, payment: Payment): Promise<void> {
  if (actorOf(payment.rail).kind !== 'page') throw new Refusal('CONFLICT', 'Nothing can be voided on this rail.')
  const state = await page.attempt(world, payment, 'voided')
  if (state === 'captured') throw new Refusal('CONFLICT', 'This payment was already captured.')
}

/**
 * A payment is taken back: charged back where it was made at a page, recalled where it was a transfer between banks. CONFLICT
 * if nothing was paid, and on chains, where nobody can.
 */
export async function chargeback(
  world: World,
  { rail, reference }: { rail: string; reference: string },
): Promise<void> {
  switch (actorOf(rail).kind) {
    case 'page':
      return page.chargeBack(world, rail, reference)
    case 'bank':
      return bank.recall(world, reference)
    case 'chain':
      throw new Refusal('CONFLICT', 'Nobody can take coins back.')
  }
}

/** A card payment is disputed, and the dispute is won or lost. CONFLICT where no card payment is in that state. */
export async function dispute(
  world: World,
  { rail, reference }: { rail: string; reference: string },
  step: 'opened' | 'won' | 'lost',
): Promise<void> {
  if (rail !== cardName) throw new Refusal('CONFLICT', 'Only card payments are disputed.')
  if (step === 'opened') await page.openDispute(world, rail, reference)
  else await page.closeDispute(world, rail, reference, step)
}

/** What was paid out comes back, once. CONFLICT if it has not been carried out, or has come back before. */
export async function bounce(world: World, { rail, planKey }: { rail: string; planKey: string }): Promise<void> {
  const actor = actorOf(rail)
  if (actor.kind === 'page') return returnRefund(world, rail, planKey)
  if (actor.kind === 'bank') return bank.sendBack(world, planKey)
  await coins.sendBack(world, actor.network, planKey)
}

/**
 * A chain undoes its last blocks. Transfers to `reference` are dropped, in favor of another one of the same coins;
 * the wallet's own transfers of `planKeys` are mined again some blocks later. CONFLICT on what is no chain, and if none of
 * them is in a block.
 */
export async function reorg(
  world: World,
  { network: code, reference, planKeys = [] }: { network: string; reference?: string; planKeys?: string[] },
): Promise<void> {
  const network = findNetwork(code)
  if (!network) throw new Refusal('CONFLICT', 'This money is not on a chain.')
  await coins.undoBlocks(world, network, reference, planKeys)
}

/** A rail repeats its last message about a reference. CONFLICT if there was no message. */
export async function duplicate(world: World, { rail, reference }: { rail: string; reference: string }): Promise<void> {
  const message = await lastMessage(world, rail, reference)
  await say(world, rail, message)
}

/** A rail reports an unknown status of a payment that it has reported before. CONFLICT if it has reported nothing. */
export async function reportUnknownStatus(
  world: World,
  { rail, reference }: { rail: string; reference: string },
): Promise<void> {
  const message = await lastMessage(world, rail, reference)
  await say(world, rail, { ...message, event: `${message.payment}_unknown`, status: 'FROBNICATED' })
}

type Message = Record<string, string>

async function lastMessage(world: World, rail: string, reference: string): Promise<Message> {
  const actor = actorOf(rail)
  const messages =
    actor.kind === 'page'
      ? await page.messagesAbout(world, reference)
      : actor.kind === 'bank'
        ? await bank.messagesAbout(world, reference)
        : await coins.messagesAbout(world, actor.network, reference)
  const last = messages.at(-1)
  if (!last) throw new Refusal('CONFLICT', 'Nothing has been paid yet.')
  return last
}

const say = (world: World, rail: string, message: Message): Promise<void> =>
  world.db.atomic((db) => queueCallbacks(world, db, [{ rail, message, dueAt: world.clock.realNow() }]))
