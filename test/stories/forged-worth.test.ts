import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import { verify } from '../../src/exchange/checks/verify.ts'
import { fingerprintOf, type Quote } from '../../src/exchange/pricing/quote.ts'
import { halt } from '../../src/exchange/settlement/halts.ts'
import { arrive, create, lookup, referenceOf } from '../support/journey.ts'
import { type LiveExchange, startLiveExchange } from '../support/live-exchange.ts'
import { putInForce } from '../support/policies.ts'
import { until } from '../support/telling.ts'

let exchange: LiveExchange
/** Somebody with the service's database role. */
let intruder: pg.Client

before(async () => {
  exchange = await startLiveExchange()
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'two_operators' }
  await putInForce(ctx(), { kind: 'approvals', document })
  intruder = new pg.Client({ connectionString: exchange.serviceUrl })
  await intruder.connect()
})
after(async () => {
  await intruder.end()
  await exchange.stop()
})

const ctx = () => exchange.service.composition.ctx
const today = (): string => new Date().toISOString().slice(0, 10)

/** An order of ether for so many euros, ready to be paid. */
async function order(amount: string): Promise<{ id: string; amount: string }> {
  const asked = { to_currency: 'ETH', from_amount: amount, deposit: { payment_category: 'SEPA' } }
  const { id, redirect_url: url } = await create(exchange, asked)
  const customer = await exchange.customer(url, `customer-${id}@example.org`)
  const place = `0x${id.padStart(40, '0')}`
  await customer.send({ do: 'payout_address', payout_address: place, confirms: place })
  return { id, amount }
}

/** Pays orders while payouts are halted, so that nobody has looked yet at what theirs are worth. Gives the payouts. */
async function payWhileHalted(...orders: { id: string; amount: string }[]): Promise<string[]> {
  await halt(ctx(), { scope: 'payouts', name: '' }, { reason: 'a drill', actor: 'test' })
  for (const { id, amount } of orders) {
    const remittance = await referenceOf(exchange, id)
    const payer = { name: 'Ada Lovelace', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
    const paid = `${amount}.00`
    const credit = {
      date: today(),
      amount: paid,
      servicerReference: id,
      payments: [{ remittance, amount: paid, payer }],
    }
    exchange.bank.state([credit], { date: today() })
  }
  return Promise.all(orders.map(({ id }) => payoutOf(id)))
}

async function paid(amount: string): Promise<{ id: string; payout: string }> {
  const made = await order(amount)
  const [payout = ''] = await payWhileHalted(made)
  return { id: made.id, payout }
}

async function payoutOf(id: string): Promise<string> {
  const found: { id: bigint }[] = []
  await until(async () => {
    const of =
      'select payouts.id from payouts join transactions on transactions.id = transaction_id where public_id = $1'
    return found.push(...(await lookup<{ id: bigint }>(exchange, of, [id]))) > 0
  }, 'the payout')
  return String(found[0]?.id)
}

/** Writes another quote of an order, whole and with a true fingerprint, that says that it is worth nearly nothing. Gives its number. */
async function forgeQuote(id: string): Promise<number> {
  const [row] = await lookup<{ quote: Quote; number: number }>(
    exchange,
    `select quote, number from quotes join transactions on transactions.id = transaction_id and number = quote_number where public_id = ${id}`,
  )
  assert(row)
  const quote = { ...row.quote, worth: { ...row.quote.worth, numerator: '1', denominator: '100000' } }
  await intruder.query(
    `insert into quotes (transaction_id, number, valid_until, quote)
     select transaction_id, number + 1, valid_until, $2::json
     from quotes join transactions on transactions.id = transaction_id and number = quote_number where public_id = $1`,
    [id, JSON.stringify({ ...quote, fingerprint: fingerprintOf(quote) })],
  )
  await intruder.query('update transactions set quote_number = quote_number + 1 where public_id = $1', [id])
  return row.number + 1
}

/** Does something again and again while something else happens. */
async function whileRepeating(again: () => Promise<unknown>, happens: () => Promise<void>): Promise<void> {
  let isOver = false
  const doing = (async () => {
    while (!isOver) await again()
  })()
  try {
    await happens()
  } finally {
    isOver = true
    await doing
  }
}

const isPriced = (): boolean =>
  ctx()
    .market.booksAt(ctx().clock.now())
    .some((book) => book !== undefined)
const endHalts = () => lookup(exchange, 'delete from halts')

/** That an order is held for approvals, and nothing of it has left. */
async function assertHeld(id: string, payout: string): Promise<void> {
  await arrive(exchange, id, 'on_hold')
  assert.deepEqual(await lookup(exchange, `select plan_id from payouts where id = ${payout}`), [{ plan_id: null }])
  const kinds = await lookup(
    exchange,
    `select kind from status_history where subject_id = ${payout} and kind = 'payout_needs_approval'`,
  )
  assert.equal(kinds.length, 1)
}

const problemsWith = async (text: string): Promise<string[]> =>
  (await verify(ctx())).filter((one) => one.includes(text))

describe('what a payout is worth, in live mode', () => {
  it('does not sink by rows of the market and of quotes that the service’s database role writes, and verify names them', async () => {
    const { id, payout } = await paid('600')
    const forged = await forgeQuote(id)
    const forge = () =>
      intruder.query(
        `update market_books set bid = '1', ask = '1.01', state = 'open', confirmed_at = now(),
           version = (select max(version) + 1 from market_books)`,
      )
    await whileRepeating(forge, async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await endHalts()
      await assertHeld(id, payout)
      await forge()
      assert.deepEqual(await problemsWith('ETH/EUR'), ['The book of ETH/EUR was not written by the exchange.'])
    })
    assert.deepEqual(await problemsWith(id), [`Quote ${forged} of transaction ${id} was not written by the exchange.`])
  })

  it('is above every limit where only a forged quote says it', async () => {
    const { id, payout } = await paid('600')
    await forgeQuote(id)
    await intruder.query(`insert into market_halts (pair, since, actor, reason) values ('ETH/EUR', now(), 'x', 'x')`)
    await until(
      () =>
        ctx()
          .market.booksAt(ctx().clock.now())
          .every((book) => book === undefined),
      'no price',
    )
    await endHalts()
    await assertHeld(id, payout)
    await intruder.query('delete from market_halts')
    await until(isPriced, 'a price')
  })

  it('is asked anew of a payout that had a genuine price of another order', async () => {
    const [cheap, dear] = [await order('100'), await order('600')]
    const [, payout = ''] = await payWhileHalted(cheap, dear)
    await intruder.query(
      `insert into quotes (transaction_id, number, valid_until, quote, stamp)
       select (select id from transactions where public_id = $2), 100, valid_until, quote, stamp
       from quotes where transaction_id = (select id from transactions where public_id = $1) and number = 1`,
      [cheap.id, dear.id],
    )
    await intruder.query('update transactions set quote_number = 100 where public_id = $1', [dear.id])
    await exchange.resumeSigner()
    await endHalts()
    await assertHeld(dear.id, payout)
    await arrive(exchange, cheap.id, 'finished')
  })
})

it('business time is real time: no row brings a policy into force too early', async () => {
  await intruder.query('update service_state set clock_offset_ms = 864000000, version = version + 1')
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  assert.equal(ctx().clock.offsetMs(), 0)
  assert.equal((await problemsWith('business time')).length, 1)
  await intruder.query('update service_state set clock_offset_ms = 0')
})

it('what decides about a payout and was written down stays, whatever the service’s database role asks for', async () => {
  const [done] = await lookup<{ id: bigint; plan_id: bigint }>(
    exchange,
    `select payouts.id, plan_id from payouts where plan_id is not null limit 1`,
  )
  assert(done)
  const refused = [
    `update plans set state = 'planned' where id = ${done.plan_id}`,
    `update payouts set state = 'reserved', plan_id = null where id = ${done.id}`,
    `update payouts set state = 'waiting' where id = ${done.id}`,
    'update transactions set partner_id = (select min(id) from partners) - 1',
    `update quotes set quote = '{}'`,
  ]
  for (const statement of refused)
    await assert.rejects(intruder.query(statement), /stays so|permission denied/, statement)
})
