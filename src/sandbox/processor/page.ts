import { createHash } from 'node:crypto'

import { type Database, one } from '../../platform/db/sql.ts'
import { gather } from '../../platform/lib/gather.ts'
import { randomId, randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { DepositOrder, DepositRail, PayoutRail } from '../../rails/rail.ts'
import { balanceAtBank, moveAtBank } from '../bank/bank.ts'
import { oweCallbacks, readWords } from '../callback.ts'
import { covered } from '../overdraft.ts'
import type { World } from '../world.ts'
import { payLink } from './link.ts'
import * as queries from './queries.ts'
import { refundOrigin, refundRail } from './refund.ts'
import { cardName, factOf, openBankingName, publicPaymentId, type Said, wordNames, wordsOf } from './words.ts'

/** Who takes money at a page: a card processor, which also takes wallets, and a bank. */
const owners: { name: string; place: string; categories: string[]; refused: string }[] = [
  {
    name: cardName,
    place: 'card-processor',
    categories: ['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY', 'REVOLUT_PAY'],
    refused: 'The card was declined.',
  },
  {
    name: openBankingName,
    place: 'bank',
    categories: ['OPEN_BANKING', 'PSE'],
    refused: 'The payment was refused at the bank.',
  },
]

/** Whether customers pay at a page on this rail. */
export const isPageRail = (rail: string): boolean => owners.some(({ name }) => name === rail)

/**
 * The rails with pages, in and back, by payment category. A customer who pays there pays once, and it is final at once. What is
 * paid back goes to the payment itself, by a rail of the same name.
 */
export const pageRails = (world: World): Map<string, { deposit: DepositRail; payout: PayoutRail }> =>
  new Map(
    owners.flatMap((owner) => {
      const { name, place } = owner
      const atBank = (asset: string): Promise<bigint> => balanceAtBank(world.db, asset)
      const balance = name === openBankingName ? atBank : balanceAtProcessor(world)
      const payout = refundRail(world, { name, place, balance })
      const rails = { deposit: pageRail(world, owner, payout), payout }
      return owner.categories.map((category) => [category, rails] as const)
    }),
  )

/** The reference is random: nobody can pay for another's by guessing. */
const pageRail = (world: World, { name, place, refused }: (typeof owners)[number], back: PayoutRail): DepositRail => ({
  name,
  place,
  instruct: async () => ({ reference: randomToken(18), payTo: { kind: 'page' } }),
  open: async (order) => ({ payAt: payLink(world, order) }),
  readCallback: (body, headers) => factOf(readWords(world, { rail: name, names: wordNames }, body, headers), refused),
  look: async (reference) => (await toldOf(world, reference)).map((said) => factOf(said, refused)),
  origin: (payment) => refundOrigin(world.db, back, payment),
  balance: back.balance,
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

/** How an order stands at its page; `open` if nobody has tried to pay. */
export async function paymentState({ db }: { db: Database }, reference: string): Promise<queries.PaymentState> {
  const [payment] = await queries.payment(db, reference)
  return payment?.state ?? 'open'
}

/** What is to be said of a payment as it stands: nothing before anybody has tried. */
export async function toldOf({ db }: Pick<World, 'db'>, reference: string): Promise<Said[]> {
  const [payment] = await queries.payment(db, reference)
  return payment ? [wordsOf(payment)] : []
}

type Outcome = 'captured' | 'challenge' | 'declined' | 'voided'

/** What somebody tries, and what comes of it. */
type Attempt = { order: DepositOrder; outcome: Outcome }

/** What an attempt came to. Without an id nothing has changed: the payment was made before. */
type Attempted = { state: queries.PaymentState; id: bigint | undefined }

/** Tries to pay. Paying what is paid already changes nothing. */
export async function attempt<Wanted extends Outcome>(
  world: World,
  order: DepositOrder,
  outcome: Wanted,
): Promise<Wanted | 'captured'> {
  const { state } = await attemptWithOthers(world, { order, outcome })
  return state === 'captured' ? 'captured' : outcome
}

/** Pays, for whoever drives the sandbox. Gives the owner's id of the payment. */
export async function payForSure(world: World, order: DepositOrder): Promise<{ id: string; hash: string }> {
  const attempted = await attemptWithOthers(world, { order, outcome: 'captured' })
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
  const rows = all.map(({ order, outcome }) => ({
    id: randomId(),
    rail: railOf(order),
    reference: order.reference,
    asset: order.asset,
    amount: order.amount,
    merchantReturn: order.returnUrl,
    state: outcome,
    at,
  }))
  const changed = await world.db.atomic(async (db) => {
    const written = await queries.writeAttempts(db, rows)
    const atBank = written.filter(({ rail, state }) => rail === openBankingName && state === 'captured')
    if (atBank.length > 0) await moveAtBank(db, atBank)
    const told = written.filter(({ state }) => state !== 'challenge')
    await oweCallbacks(
      world,
      db,
      told.map((payment) => ({ rail: payment.rail, words: wordsOf(payment), dueAt: at })),
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

/** Takes a captured payment back from the merchant. CONFLICT if there is none, or if any of it was given back. */
export async function chargeBack(world: World, rail: string, reference: string): Promise<void> {
  await covered(
    world.db.atomic(async (db) => {
      const [payment] = await queries.chargeBack(db, rail, reference)
      if (!payment) throw new Refusal('CONFLICT', 'Nothing has been paid that could be taken back.')
      const { asset, amount } = payment
      if (rail === openBankingName) await moveAtBank(db, [{ asset, amount: -amount }])
      await oweCallbacks(world, db, [{ rail, words: wordsOf(payment), dueAt: world.clock.realNow() }])
    }),
  )
}
