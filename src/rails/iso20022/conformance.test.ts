import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'

import { type BankWorld, openBankWorld } from '../../../test/support/bank-world.ts'
import { ourIban } from '../../../test/support/camt.ts'
import { euros } from '../../../test/support/folder-bank.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { exampleAccount } from '../../reference/bank/example-account.ts'
import { describeRail } from '../conformance/describe-rail.ts'
import type { RailHarness } from '../conformance/harness.ts'
import { depositsUnder } from './booking/queries.ts'
import { bankRail } from './rails.ts'

let world: BankWorld
let ids = 0n
let transfers = 0

before(async () => {
  world = await openBankWorld()
  world.outside.state([])
  await world.round()
})
after(() => world.close())

const payer = { name: 'Erika Mustermann', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }

/** The bank does what is ordered, and we read what it says, until nothing is left to do. */
async function turn(): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    world.events.push(...(await world.round()))
    world.outside.execute()
    world.events.push(...(await world.round()))
  }
}

/** Where the bank's files come in, and payment files appear. */
const folders = (): string[] => ['in', 'out'].map((name) => join(world.folder, name))

const conflict = (): never => {
  throw new Refusal('CONFLICT', 'There is nothing to reverse.')
}

async function lastOf(reference: string) {
  const all = await depositsUnder(world.ctx.db, 'bank-1', reference)
  return all.findLast(({ remainder }) => remainder > 0n)
}

const harness = (): RailHarness => ({
  rail: bankRail(world.bank),
  reopen: async () => bankRail((await world.reopen()).bank),
  nextId: () => (ids += 1n),
  settle: turn,
  report: async () => {
    await turn()
    return world.events.splice(0)
  },
  // The folders of the bank are no longer mounted.
  goDown: () => {
    for (const folder of folders()) renameSync(folder, `${folder}-away`)
  },
  comeBack: () => {
    for (const folder of folders()) {
      rmSync(folder, { recursive: true, force: true })
      renameSync(`${folder}-away`, folder)
    }
  },
  deposits: {
    category: 'SEPA',
    asset: 'EUR-EUR',
    amount: 12_345n,
    pay: async ({ reference, amount }) => {
      transfers += 1
      const servicerReference = `C-${transfers}`
      world.outside.state([
        {
          amount: euros(amount),
          servicerReference,
          payments: [{ remittance: reference, payer, amount: euros(amount) }],
        },
      ])
      world.events.push(...(await world.round()))
      const rows = await world.ctx.db.sql<{ id: bigint }>`
        select id from iso20022_bookings where servicer_reference = ${servicerReference}`
      return { id: `bk_${rows[0]?.id}` }
    },
    reverse: async ({ reference, amount }) => {
      const deposit = await lastOf(reference)
      if (!deposit) return conflict()
      transfers += 1
      world.outside.state([
        {
          amount: euros(amount),
          debit: true,
          servicerReference: `B-${transfers}`,
          payments: [{ remittance: reference, amount: euros(amount), returnReason: 'FOCR' }],
        },
      ])
    },
  },
  payouts: {
    asset: 'EUR-EUR',
    hash: /^CB-\d+-[0-9A-F]{8}$/,
    costsFee: false,
    tooMuch: 10n ** 12n,
    destination: () => {
      const { account, bic, holder } = exampleAccount('iban', Buffer.from(String((ids += 1n)).padStart(32, '0')))
      return { address: account, extraId: bic, holder }
    },
    own: [ourIban],
    sendBack: async ({ key }) => {
      const order = world.outside.paid.find(({ endToEndId }) => endToEndId === key)
      const [back] = await world.ctx.db.sql`
        select 1 from iso20022_bookings where payment_key = ${key} and kind = 'payout_returned'`
      if (!order || back) return conflict()
      transfers += 1
      world.outside.state([
        {
          amount: euros(order.amount),
          servicerReference: `R-${transfers}`,
          payments: [{ endToEndId: key, amount: euros(order.amount), returnReason: 'AC04' }],
        },
      ])
      world.events.push(...(await world.round()))
    },
  },
})

describeRail('of a bank that exchanges files', () => {
  assert(world)
  return harness()
})
