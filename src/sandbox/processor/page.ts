import { createHash } from 'node:crypto'

import { type Atomic, type Database, one } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { gather } from '../../platform/lib/gather.ts'
import { randomId, randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { DepositOrder, Rail } from '../../rails/rail.ts'
import { balanceAtBank, moveAtBank } from '../bank/bank.ts'
import { queueCallbacks, readMessages } from '../callback.ts'
import { covered } from '../overdraft.ts'
import { realTime, statementOf } from '../statement.ts'
import type { World } from '../world.ts'
import { fingerprintOf } from './card-form.ts'
import { payLink } from './link.ts'
import * as queries from './queries.ts'
import { refundOrigin, refunds } from './refund.ts'
import {
  cardName,
  disputeMessages,
  toRailEvent,
  openBankingName,
  publicPaymentId,
  type Message,
  messageFields,
  messageOf,
} from './messages.ts'

/** Who takes payments at a page: a card processor, which also takes wallets, and a bank. */
const owners: { name: string; custodyAccount: string; categories: string[]; refused: string }[] = [
  {
    name: cardName,
    custodyAccount: 'card-processor',
    categories: ['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY', 'REVOLUT_PAY'],
    refused: 'The card was declined.',
  },
  {
    name: openBankingName,
    custodyAccount: 'bank',
    categories: ['OPEN_BANKING', 'PSE'],
    refused: 'The payment was refused at the bank.',
  },
]

/** Whether customers pay at a page on this rail. */
export const isPageRail = (rail: string): boolean => owners.some(({ name }) => name === rail)

/** The rails with pages. A customer pays there once, and the payment is final at once; a refund goes to the payment itself. */
export const pageRails = (world: World): Rail[] => owners.map((owner) => pageRail(world, owner))

const pageRail = (world: World, { name, custodyAccount, categories, refused }: (typeof owners)[number]): Rail => ({
  name,
  custodyAccount,
  serves: [{ directions: ['deposit'], categories, networks: 'any' }],
  deposit: {
    // The reference is random: nobody can pay for another's by guessing.
    instruct: async () => ({ reference: randomToken(18), payTo: { kind: 'page' } }),
    open: async (order) => ({ payAt: payLink(world, order) }),
    pageOrigins: () => [world.url],
    look: async (reference) => (await messagesAbout(world, reference)).map((said) => toRailEvent(said, refused)),
    origin: (payment) => refundOrigin(world.db, name, payment),
    ...(name === cardName ? { disputes: true } : {}),
  },
  payout: refunds(world, name),
  readCallback: async (request) => ({
    events: readMessages(world, { rail: name, fields: messageFields }, request).map((one) => toRailEvent(one, refused)),
  }),
  statement: async ({ since }) =>
    statementOf(
      world,
      (await queries.bookings(world.db, name, realTime(world, since))).map(
        ({ payment_id: id, plan_key: key, ...row }) => ({
          ...row,
          payment: publicPaymentId(id),
          reference: key ?? '',
        }),
      ),
    ),
  balance: name === openBankingName ? (asset) => balanceAtBank(world.db, asset) : balanceAtProcessor(world),
})

/** What the card processor keeps for us: captured, neither charged back nor given back. Asked for many currencies, it counts once. */
const balanceAtProcessor = ({ db }: World): ((asset: string) => Promise<bigint>) =>
  gather(
    async (assets: string[]) => {
      const sums = new Map(
        (await queries.capturedSums(db, cardName, assets)).map(({ asset, amount }) => [asset, amount]),
      )
      return assets.map((asset) => sums.get(asset) ?? 0n)
    },
    { most: 256 },
  )

/** The state of a payment at its page; `open` if nobody has tried to pay. */
export async function paymentState({ db }: { db: Database }, reference: string): Promise<queries.PaymentState> {
  const [payment] = await queries.payment(db, reference)
  return payment?.state ?? 'open'
}

/** What the page's owner has said of a payment: nothing before anybody has tried. */
export async function messagesAbout({ db }: Pick<World, 'db'>, reference: string): Promise<Message[]> {
  const [payment] = await queries.payment(db, reference)
  return payment ? [messageOf(payment), ...disputeMessages(payment)] : []
}

type Outcome = 'captured' | 'challenge' | 'declined' | 'voided'

/** What somebody tries, and what comes of it. */
type Attempt = { order: DepositOrder; outcome: Outcome } & Card

/** What is known of the card that pays. */
type Card = { fingerprint?: string | undefined; mismatch?: queries.Mismatch | undefined }

/** What an attempt came to. Without an id nothing has changed: the payment was made before. */
type Attempted = { state: queries.PaymentState; id: bigint | undefined }

/** Tries to pay. Paying what is paid already changes nothing. */
export async function attempt<Wanted extends Outcome>(
  world: World,
  order: DepositOrder,
  outcome: Wanted,
  card: Card = {},
): Promise<Wanted | 'captured'> {
  const { state } = await attemptWithOthers(world, { order, outcome, ...card })
  return state === 'captured' ? 'captured' : outcome
}

/** Pays as a holder with a test card, however often it is called. Gives the owner's id of the payment. */
export async function payAtPage(world: World, order: DepositOrder, holder = ''): Promise<{ id: string; hash: string }> {
  const fingerprint = fingerprintOf({ number: '4242424242424242', expiry: '12/34', holder })
  const attempted = await attemptWithOthers(world, { order, outcome: 'captured', fingerprint })
  const id = publicPaymentId(attempted.id ?? one(await queries.payment(world.db, order.reference)).id)
  return { id, hash: createHash('sha256').update(id).digest('hex') }
}

const attempts = new WeakMap<World, (one: Attempt) => Promise<Attempted>>()

/** Attempts that come at the same time share one atomic block. */
function attemptWithOthers(world: World, one: Attempt): Promise<Attempted> {
  let run = attempts.get(world)
  if (!run) attempts.set(world, (run = gather((all: Attempt[]) => settle(world, all), { most: 64 })))
  return run(one)
}

async function settle(world: World, all: Attempt[]): Promise<Attempted[]> {
  const at = world.clock.realNow()
  const rows = all.map(({ order, outcome, fingerprint = null, mismatch = null }) => ({
    id: randomId(),
    rail: railOf(order),
    reference: order.reference,
    asset: order.asset,
    amount: order.amount,
    merchantReturn: order.returnUrl,
    state: outcome,
    fingerprint,
    mismatch,
    at,
  }))
  const changed = await world.db.atomic(async (db) => {
    const written = await queries.writeAttempts(db, rows)
    const atBank = written.filter(({ rail, state }) => rail === openBankingName && state === 'captured')
    if (atBank.length > 0) await moveAtBank(db, atBank)
    const reported = written.filter(({ state }) => state !== 'challenge')
    await queueCallbacks(
      world,
      db,
      reported.map((payment) => ({ rail: payment.rail, message: messageOf(payment), dueAt: at })),
    )
    return new Map(written.map(({ reference, state, id }) => [reference, { state, id }]))
  })
  return all.map(({ order }) => changed.get(order.reference) ?? { state: 'captured', id: undefined })
}

function railOf({ category }: DepositOrder): string {
  const owner = owners.find(({ categories }) => categories.includes(category))
  if (!owner) throw new Refusal('BAD_REQUEST', 'Nobody pays in that way at a page.')
  return owner.name
}

/** Charges a captured payment back. CONFLICT if it was not captured, or any of it was refunded. */
export async function chargeBack(world: World, rail: string, reference: string): Promise<void> {
  await covered(
    world.db.atomic(async (db) => {
      const [payment] = await queries.chargeBack(db, rail, reference)
      if (!payment) throw new Refusal('CONFLICT', 'Nothing was paid that could be charged back.')
      const { asset, amount } = payment
      if (rail === openBankingName) await moveAtBank(db, [{ asset, amount: -amount }])
      await queueCallbacks(world, db, [{ rail, message: messageOf(payment), dueAt: world.clock.realNow() }])
    }),
  )
}

const disputePeriodMs = 7 * 24 * 3_600_000

/** The cardholder's bank contests a captured card payment: it is withdrawn. CONFLICT if it was not captured, or any of it was refunded. */
export async function openDispute(world: World, rail: string, reference: string): Promise<void> {
  const respondBy = after(world.clock.realNow(), disputePeriodMs)
  await changeDispute(world, (db) => queries.openDispute(db, { rail, reference, respondBy }))
}

/** Ends an open dispute; won, the money is given back. CONFLICT if no dispute is open. */
export const closeDispute = (world: World, rail: string, reference: string, state: 'won' | 'lost'): Promise<void> =>
  changeDispute(world, (db) => queries.closeDispute(db, { rail, reference, state }))

const changeDispute = (world: World, change: (db: Atomic) => Promise<queries.DisputedRow[]>): Promise<void> =>
  world.db.atomic(async (db) => {
    const [payment] = await change(db)
    const message = payment && disputeMessages(payment).at(-1)
    if (!message) throw new Refusal('CONFLICT', 'This payment has no dispute that could change so.')
    await queueCallbacks(world, db, [{ rail: payment.rail, message, dueAt: world.clock.realNow() }])
  })
