import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { findNetwork } from '../../src/reference/catalog/network.ts'
import { moveCoins } from '../../src/sandbox/rails.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { advice } from '../../src/exchange/reconciliation/advice.ts'
import { listBreaks } from '../../src/exchange/reconciliation/breaks.ts'
import { advance, arrive, buy, checkOut, create, lookup, pay, readyToPay, settled } from '../support/journey.ts'
import { type Found, foundAnew } from '../support/planted.ts'
import { formSender } from '../support/send-forms.ts'
import { asOwner } from '../support/server.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'

describe('a difference at a processor, a bank or a wallet with statements of its own', () => {
  let exchange: Exchange
  let [paid, sent, transferred] = ['', '', '']
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
    await makeOperators(exchange)
    await buy(exchange)
    const transfer = await readyToPay(exchange, { from_amount: '100', deposit: { payment_category: 'SEPA' } })
    await pay(exchange, transfer.id)
    await arrive(exchange, transfer.id, 'finished')
    const sale = await create(exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR' })
    await checkOut(exchange, sale.id)
    await pay(exchange, sale.id)
    await arrive(exchange, sale.id, 'finished')
    await settled(exchange)
    const only = async (sql: string): Promise<string> => (await lookup<{ id: string }>(exchange, sql))[0]?.id ?? ''
    paid = await only(`select id::text from sandbox.card_payments where state = 'captured'`)
    transferred = await only(`select id::text from sandbox.bank_payments where direction = 'in'`)
    sent = await only(`select id::text from sandbox.bank_payments where direction = 'out'`)
    await advance(exchange, 'P4D')
    // The outside world keeps real time: what it booked is as old as what the books have.
    await owner(`update sandbox.card_payments set created_at = created_at - interval '2 hours'`)
    await owner(`update sandbox.bank_payments set at = at - interval '2 hours'`)
  })
  after(() => exchange.stop())

  const browser = staffBrowser(() => exchange)
  const forms = formSender(browser)
  const owner = (sql: string) => asOwner(exchange.ownerUrl, (client) => client.query(sql))
  const amountOf = async (id: string): Promise<bigint> => {
    const sql = `select amount::text from sandbox.bank_payments where id = ${id}`
    return BigInt((await lookup<{ amount: string }>(exchange, sql))[0]?.amount ?? '0')
  }
  /** Changes one payment at the processor. */
  const card = (change: string) => () => owner(`update sandbox.card_payments set ${change} where id = ${paid}`)
  /** Changes one payment at the bank, and what the bank holds by as much. */
  const atBank = (id: () => string, change: string, moved: string) => () =>
    owner(
      `with before as (select amount from sandbox.bank_payments where id = ${id()}),
         changed as (update sandbox.bank_payments set ${change} where id = ${id()})
       update sandbox.bank_balances set balance = balance + (${moved}) from before where asset = 'EUR-EUR'`,
    )
  const [incoming, outgoing] = [() => transferred, () => sent]
  const bitcoin = findNetwork('BTC') ?? assert.fail()
  const coins = (amount: bigint) => () => moveCoins(exchange.service.composition.ctx.db, bitcoin, 'BTC-BTC', amount)

  type Case = [name: string, plant: () => Promise<unknown>, undo: () => Promise<unknown>, found: () => Promise<Found[]>]
  const is =
    (...all: Found[]) =>
    () =>
      Promise.resolve(all)
  const cases: Case[] = [
    [
      'a payment that we were not told of',
      () =>
        owner(`insert into sandbox.card_payments (id, rail, reference, asset, amount, merchant_return, state, attempts, created_at)
               select 7, 'sandbox-card', 'nobody told', 'EUR-EUR', 4200, '', 'captured', 1, now() - interval '2 hours'`),
      () => owner('delete from sandbox.card_payments where id = 7'),
      is(['not_booked', 'swallowed', 4_200n]),
    ],
    [
      'a payment that the processor has no longer',
      card(`state = 'declined'`),
      card(`state = 'captured'`),
      is(['not_stated', 'missing', -10_000n]),
    ],
    [
      'a payment that the processor captured in part',
      card('amount = amount - 1000'),
      card('amount = amount + 1000'),
      is(['amount', 'other_amount', -1_000n]),
    ],
    [
      'a payment that was taken twice',
      card('amount = amount * 2'),
      card('amount = amount / 2'),
      is(['amount', 'double', 10_000n]),
    ],
    [
      'a chargeback that we were not told of',
      card(`state = 'charged_back'`),
      card(`state = 'captured'`),
      is(['amount', 'recalled', -10_000n]),
    ],
    [
      'a transfer that its payer’s bank recalled',
      atBank(incoming, `state = 'recalled'`, '-before.amount'),
      atBank(incoming, `state = 'booked'`, 'before.amount'),
      is(['amount', 'recalled', -10_000n]),
    ],
    [
      'a payout that came back',
      atBank(outgoing, `state = 'returned'`, 'before.amount'),
      atBank(outgoing, `state = 'booked'`, '-before.amount'),
      async () => [['amount', 'returned', await amountOf(sent)]],
    ],
    [
      'a payout that cost more than it was',
      atBank(outgoing, 'amount = amount + 150', '-150'),
      atBank(outgoing, 'amount = amount - 150', '150'),
      is(['amount', 'charge_not_booked', -150n]),
    ],
    [
      'a payout that left twice',
      atBank(outgoing, 'amount = amount * 2', '-before.amount'),
      atBank(outgoing, 'amount = amount / 2', 'before.amount / 2'),
      async () => [['amount', 'double', -(await amountOf(sent)) / 2n]],
    ],
    [
      'a debit that is nobody’s',
      () =>
        owner(`with paid as (update sandbox.bank_balances set balance = balance - 777 where asset = 'EUR-EUR')
               insert into sandbox.bank_payments (direction, asset, amount, remittance, end_to_end_id, state, at)
               values ('out', 'EUR-EUR', 777, '', 'nobody’s', 'booked', now() - interval '2 hours')`),
      () =>
        owner(`with gone as (delete from sandbox.bank_payments where end_to_end_id = 'nobody’s')
               update sandbox.bank_balances set balance = balance + 777 where asset = 'EUR-EUR'`),
      is(['not_booked', 'not_ours', -777n]),
    ],
    [
      'a transfer to another account of ours than it was booked at',
      async () => {
        await card(`state = 'declined'`)()
        await owner(`with got as (update sandbox.bank_balances set balance = balance + 10000 where asset = 'EUR-EUR')
                     insert into sandbox.bank_payments (direction, account, asset, amount, remittance, reference, state, at)
                     values ('in', 'ours', 'EUR-EUR', 10000, '', 'elsewhere', 'booked', now() - interval '2 hours')`)
      },
      async () => {
        await card(`state = 'captured'`)()
        await owner(`with gone as (delete from sandbox.bank_payments where reference = 'elsewhere')
                     update sandbox.bank_balances set balance = balance - 10000 where asset = 'EUR-EUR'`)
      },
      is(['not_booked', 'other_account', 10_000n], ['not_stated', 'other_account', -10_000n]),
    ],
    ['coins that are not in the wallet', coins(-5n), coins(5n), is(['balance', 'missing', -5n])],
    ['coins that came to the wallet by themselves', coins(7n), coins(-7n), is(['balance', 'swallowed', 7n])],
  ]
  /** Differences that no form books: a person holds the order, or asks its customer, and says so. */
  const explained: ReadonlySet<string> = new Set(['recalled', 'returned'])
  async function explain(): Promise<void> {
    const { ctx } = exchange.service.composition
    const [one, ...others] = await listBreaks(ctx, { open: true })
    assert.ok(one && others.length === 0)
    const finance = await browser.as('finance')
    const { body } = await browser.ask('/console/money', { cookie: finance })
    for (const said of ['hold the order', 'Resolving it books nothing']) assert.ok(advice[one.cause].includes(said))
    assert.ok(body.includes(advice[one.cause]), 'the page says what to do')
    const about = { action: 'resolve', about: String(one.id) }
    const done = await forms.send('/console/money', finance, { ...about, reason: 'The order is held.' })
    assert.match(done, /The difference is resolved/)
    assert.deepEqual(await forms.formsOf('/console/money', finance, about.action, about.about), [])
    const ended = (await listBreaks(ctx, { open: false })).find(({ id }) => id === one.id)
    assert.deepEqual([ended?.state, ended?.reason], ['resolved', 'The order is held.'])
    // As long as it is what was explained.
    assert.deepEqual(await foundAnew(exchange, new Set()), [])
  }

  for (const [name, plant, undo, expected] of cases) {
    it(`is found alone, is named, and ends when it is gone or explained: ${name}`, async () => {
      assert.deepEqual(await foundAnew(exchange, new Set()), [])
      await plant()
      const found = await expected()
      assert.deepEqual(new Set(await foundAnew(exchange, new Set())), new Set(found))
      if (found.some(([, cause]) => explained.has(cause))) await explain()
      await undo()
      assert.deepEqual(await foundAnew(exchange, new Set()), [])
    })
  }
})
