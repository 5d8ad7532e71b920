import { createHmac } from 'node:crypto'

import { makeReference } from '../../reference/bank/creditor-reference.ts'
import { assetById } from '../../reference/catalog/asset.ts'
import { paymentCategories } from '../../reference/catalog/payment-category.ts'
import type { Db } from '../../platform/db/sql.ts'
import { gather } from '../../platform/lib/gather.ts'
import type { PayoutHalf, PayoutOrder, PlanBody, PlanDraft, Rail, Service } from '../../rails/rail.ts'
import { readMessages } from '../callback.ts'
import { takeSilence } from '../fault.ts'
import { covered } from '../overdraft.ts'
import { realTime, statementOf } from '../statement.ts'
import type { World } from '../world.ts'
import { accountFor } from '../../rails/bank-accounts.ts'
import { accountsAt } from './accounts.ts'
import { payerOf, messagesAbout } from './moves.ts'
import * as queries from './queries.ts'
import { bankId, bankName, toRailEvent, messageFields } from './messages.ts'

const transferCategories = paymentCategories.flatMap(({ category, flow }) => (flow === 'transfer' ? [category] : []))

/** The exchange's bank: transfers from customers, matched by a creditor reference in their text, and transfers to them. */
export const bankRail = (world: World): Rail => ({
  name: bankName,
  custodyAccount: 'bank',
  serves: [
    { directions: ['payout'], categories: transferCategories, networks: 'any' },
    ...accountsAt(world).map(({ category, currency }): Service => {
      const networks = currency === 'any' ? 'any' : [currency]
      return { directions: ['deposit'], categories: [category], networks }
    }),
  ],
  deposit: {
    instruct: async ({ id, category, asset }) => {
      const account = accountFor(accountsAt(world), category, assetById(asset)?.ticker ?? '')
      if (!account) throw new Error(`We have no account for ${asset} by ${category}.`)
      const entropy = createHmac('sha256', world.secrets.processor).update(`${bankName} reference ${id}`).digest()
      return { reference: makeReference(entropy), payTo: { kind: 'account', ...account } }
    },
    look: async (reference) => (await messagesAbout(world, reference)).map(toRailEvent),
    origin: async (payment) => (await payerOf(world, payment)) ?? 'unknown',
  },
  payout: payouts(world),
  readCallback: async (request) => ({
    events: readMessages(world, { rail: bankName, fields: messageFields }, request).map(toRailEvent),
  }),
  balance: (asset) => balanceAtBank(world.db, asset),
  statement: async ({ since }) =>
    statementOf(
      world,
      (await queries.bookings(world.db, realTime(world, since))).map(({ id, ...row }) => ({
        ...row,
        payment: bankId(id),
      })),
    ),
})

/** What our account of a currency holds. */
export const balanceAtBank = async (db: Db, asset: string): Promise<bigint> =>
  (await queries.balance(db, asset))[0]?.balance ?? 0n

function payouts(world: World): PayoutHalf {
  const send = gather((plans: PlanBody[]) => submitAll(world, plans))
  const look = gather((keys: string[]) => queries.paidOut(world.db, keys).then((rows) => matched(keys, rows)))
  return {
    lookAfterMs: 1_000,
    mostFee: () => undefined,
    prepare: async (orders) => orders.map(planOf),
    submit: async ({ body }) => {
      if (await send(body)) throw new Error('The bank did not answer in time.')
    },
    look: async ({ key }) => {
      const id = await look(key)
      return id === undefined ? { state: 'never' } : { state: 'done', evidence: { hash: bankId(id), fee: undefined } }
    },
    owns: (account) => accountsAt(world).some((one) => one.account === account),
  }
}

/** The end-to-end id is the payout's number: the bank takes each once. */
const planOf = ({ payoutId, asset, amount, destination }: PayoutOrder): PlanDraft => ({
  key: String(payoutId),
  payoutId,
  body: {
    account: destination.address,
    bic: destination.extraId,
    holder: destination.holder,
    ...(destination.intermediary === undefined ? {} : { intermediary: destination.intermediary }),
    asset,
    amount: String(amount),
    end_to_end_id: String(payoutId),
  },
})

/** Brings payments to the bank. Tells for each whether the bank stayed silent about it. */
async function submitAll(world: World, plans: PlanBody[]): Promise<boolean[]> {
  const { db, clock } = world
  const at = clock.realNow()
  const rows = plans.map(({ asset = '', amount = '0', end_to_end_id: endToEndId = '' }) => ({
    asset,
    amount: BigInt(amount),
    endToEndId,
    at,
  }))
  await covered(queries.payOut(db, rows))
  return takeSilence(
    world,
    plans.map(({ account = '' }) => account),
  )
}

function matched(keys: string[], rows: { id: bigint; end_to_end_id: string }[]): (bigint | undefined)[] {
  const ids = new Map(rows.map(({ id, end_to_end_id: key }) => [key, id]))
  return keys.map((key) => ids.get(key))
}

/** Gives our account of a currency its first money. Tells whether it was new. */
export const fundBank = async (db: Db, asset: string, amount: bigint): Promise<boolean> =>
  (await queries.open(db, asset, amount)).length > 0

/** Moves money on our accounts that was paid at a page of the bank's or, below zero, taken back there. */
export const moveAtBank = async (db: Db, moves: { asset: string; amount: bigint }[]): Promise<void> => {
  await queries.move(db, moves)
}
