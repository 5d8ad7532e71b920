import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { openRailWorld, type RailWorld } from '../../../test/support/rail-world.ts'
import { isCreditorReference, printReference } from '../../reference/bank/creditor-reference.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { RailEvent } from '../../rails/rail.ts'
import { chargeback, fundBank, pay, type Payment } from '../rails.ts'

let stage: RailWorld
let ids = 0n

before(async () => {
  stage = await openRailWorld()
  await fundBank(stage.db, 'EUR-EUR', 1_000n)
})
after(() => stage.close())

const instructed = async (category = 'SEPA'): Promise<Payment> => {
  const rail = stage.rails.forDeposit(category, 'EUR')
  const order = { id: (ids += 1n), category, asset: 'EUR-EUR', amount: 100n }
  const instruction = await rail?.deposit.instruct(order)
  assert(rail && instruction)
  return { ...order, ...instruction, rail: rail.name, returnUrl: 'https://exchange.example/', locale: 'en' }
}
const paid = async (payment: Payment, text?: string): Promise<RailEvent | undefined> => {
  await pay(stage.world, payment, text === undefined ? {} : { reference: text })
  const [fact, ...others] = await stage.deliver(payment.rail)
  assert.equal(others.length, 0)
  return fact
}

test('an instruction names an account, its holder and a reference of ISO 11649', async () => {
  const { reference, payTo } = await instructed()
  assert(isCreditorReference(reference))
  assert(payTo.kind === 'account')
  assert.deepEqual(Object.keys(payTo), ['kind', 'holder', 'account', 'bic', 'bank'])
  assert(stage.rails.payout('sandbox-bank')?.payout.owns(payTo.account))
})

test('a reference is found as people write it, and the text around it is dropped', async () => {
  const payment = await instructed()
  const written = `Erika Mustermann, order ${printReference(payment.reference).toLowerCase()}\nthank you`
  const fact = await paid(payment, written)
  assert.equal(fact?.reference, payment.reference)
  assert.doesNotMatch(
    JSON.stringify(fact, (_, value) => String(value)),
    /Mustermann|thank/i,
  )
  assert.equal((await stage.rails.deposit('sandbox-bank')?.deposit.look(payment.reference))?.length, 1)
})

test('the bank keeps only our reference of a payer’s text', async () => {
  const payment = await instructed()
  const keptFor = async (text: string): Promise<string[]> => {
    await pay(stage.world, payment, { reference: text })
    const rows = await stage.db.sql<{ kept: string }>`
      select row_to_json(bank_payments)::text as kept from sandbox.bank_payments
      union all select body::text from sandbox.callbacks`
    await stage.deliver(payment.rail)
    return rows.map(({ kept }) => kept)
  }
  const named = await keptFor(`Erika Mustermann ${payment.reference}`)
  assert(named.some((kept) => kept.includes(payment.reference)))
  const nameless = await keptFor('a gift from Erika Mustermann')
  for (const kept of [...named, ...nameless]) assert.doesNotMatch(kept, /Mustermann|gift/i)
})

test('money without a reference is reported, and has no owner yet', async () => {
  const payment = await instructed()
  for (const text of ['', 'a gift from Erika Mustermann', payment.reference.slice(0, -1)]) {
    const fact = await paid(payment, text)
    assert.equal(fact?.kind, 'deposit_final')
    assert.equal(fact?.reference, '')
    assert.doesNotMatch(
      JSON.stringify(fact, (_, value) => String(value)),
      /Mustermann/,
    )
  }
})

test('a recall takes back the last of two transfers, and then the first', async () => {
  const payment = await instructed()
  const [one, two] = [await paid(payment), await paid(payment)]
  const recalled = []
  for (let times = 0; times < 2; times += 1) {
    await chargeback(stage.world, payment)
    recalled.push(...(await stage.deliver(payment.rail)))
  }
  assert.deepEqual(
    recalled.map((fact) => fact.payment),
    [two?.payment, one?.payment],
  )
})

test('what is paid at a page of the bank lies on our account there, and a recall needs it to be there', async () => {
  const bank = stage.rails.forPayout('SEPA', 'EUR')
  const payment = await instructed('OPEN_BANKING')
  const held = (await bank?.balance('EUR-EUR')) ?? 0n
  await Promise.all([pay(stage.world, payment), pay(stage.world, payment)])
  assert.equal(await bank?.balance('EUR-EUR'), held + 100n)

  const destination = { address: 'DE89370400440532013000', extraId: '', holder: 'Erika Mustermann' }
  const everything = { payoutId: (ids += 1n), asset: 'EUR-EUR', amount: held + 100n, destination }
  for (const plan of (await bank?.payout.prepare([everything])) ?? []) await bank?.payout.submit(plan)
  assert.equal(await bank?.balance('EUR-EUR'), 0n)
  const refused = (error: unknown): boolean => error instanceof Refusal && error.code === 'CONFLICT'
  await assert.rejects(chargeback(stage.world, payment), refused)
  assert.equal((await stage.rails.deposit(payment.rail)?.deposit.look(payment.reference))?.[0]?.kind, 'deposit_final')
})
