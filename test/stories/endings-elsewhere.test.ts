import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { payDeposit } from '../../src/sandbox/api/pay.ts'
import { redirectRefund, refundTransaction } from '../../src/exchange/operations/staff.ts'
import { createOperator, operatorSubject } from '../../src/exchange/operators/operator.ts'
import { listSuspense, returnSuspense, writeOffSuspense } from '../../src/exchange/operations/suspense.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { ibanOf } from '../support/b2b.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, lookup, owed, pay, readyToPay, seen } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { password, staffBrowser } from '../support/staff-browser.ts'
import { strayDeposit } from '../support/stray-money.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let cambio: CommandLine['cambio']
let folder: string
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'XRP=1' })
  ;({ cambio } = commandLineOf(exchange))
  folder = await mkdtemp(join(tmpdir(), 'cambio-elsewhere-'))
})
after(async () => {
  await exchange.stop()
  await rm(folder, { recursive: true })
})

const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const why = ['--reason', 'their account is closed']
const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
const to = { address: ibanOf('another of theirs'), extraId: '', holder: 'Erika Mustermann' }
const ctxOf = () => exchange.service.composition.ctx
const inBank = (sql: string) => lookup<{ count: string }>(exchange, `select count(*) from sandbox.bank_payments ${sql}`)

const { ask, signIn } = staffBrowser(() => exchange)
const seenBy = async (email: string, path: string) => (await ask(path, { cookie: await signIn(email) })).body
/** What the form says before. */
const says = (amount: string, who: string) =>
  new RegExp(`Left: ${amount} EUR\\. Sending it costs the ${who} nothing\\. The ${who} gets ${amount} EUR\\.`)

/** Runs a function while the bank says plainly that it will never carry anything out. */
async function whileTheBankRefuses(act: () => Promise<void>): Promise<void> {
  const rail = ctxOf().rails.payout('sandbox-bank')?.payout
  assert.ok(rail)
  const { submit, look } = rail
  Object.assign(rail, { submit: () => Promise.resolve(), look: () => Promise.resolve({ state: 'never' }) })
  await act()
  Object.assign(rail, { submit, look })
}

describe('a refund that cannot go back the way it came', () => {
  async function refused(): Promise<string> {
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { amount: '60' })
    await arrive(exchange, id, 'on_hold')
    await whileTheBankRefuses(async () => {
      await refundTransaction(ctxOf(), BigInt(id), order)
      await seen(exchange, id, 'the refusal', ({ refunds }) => refunds[0]?.status === 'failed')
    })
    return id
  }

  it('goes elsewhere by support up to the limit of refunds, and no further', async () => {
    const [id, email] = [await refused(), 'support@example.com']
    const person = { email, password, role: 'support' } as const
    const support = { ...order, actor: operatorSubject(await createOperator(ctxOf(), person, 'cli:test')) }
    const approvals = { payouts: { above: null, currency: 'EUR' }, policies: 'one_operator' }
    const upTo = (limit: string) =>
      putInForce(ctxOf(), { kind: 'approvals', document: { ...approvals, support_refunds_up_to: limit } })
    await upTo('50')
    await assert.rejects(redirectRefund(ctxOf(), BigInt(id), { ...support, to }), /Your role may refund up to 50 EUR/)
    await upTo('60')
    assert.match(await seenBy(email, `/console/orders/${id}`), says('60', 'customer'))
    await redirectRefund(ctxOf(), BigInt(id), { ...support, to })
    await arrive(exchange, id, 'refunded')
  })

  it('goes to another account of whoever paid, once, as its operator says', async () => {
    const id = await refused()
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 6_000n)
    const [before] = await inBank(`where direction = 'out'`)
    await redirectRefund(ctxOf(), BigInt(id), { ...order, to })
    const record = await arrive(exchange, id, 'refunded')
    assert.deepEqual(
      record.refunds.map(({ amount, status }) => [amount, status]),
      [['60', 'paid']],
    )
    const [after] = await inBank(`where direction = 'out'`)
    assert.equal(BigInt(after?.count ?? 0) - BigInt(before?.count ?? 0), 1n)
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assert.rejects(redirectRefund(ctxOf(), BigInt(id), { ...order, to }), { code: 'CONFLICT' })
    await assertBooksHold(exchange)
  })

  it('goes nowhere where the account or its holder cannot be, and nowhere before that way was tried', async () => {
    const id = await refused()
    for (const wrong of [
      { address: 'DE00123' },
      { holder: '' },
      { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
    ]) {
      await assert.rejects(redirectRefund(ctxOf(), BigInt(id), { ...order, to: { ...to, ...wrong } }), {
        code: 'BAD_REQUEST',
      })
    }
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 6_000n)
    const other = await readyToPay(exchange, transfer)
    await pay(exchange, other.id, { amount: '60' })
    await arrive(exchange, other.id, 'on_hold')
    await assert.rejects(redirectRefund(ctxOf(), BigInt(other.id), { ...order, to }), { code: 'CONFLICT' })
  })

  it('is redirected by a file, so that nobody else on the machine reads the account', async () => {
    const id = await refused()
    const file = join(folder, 'way')
    await writeFile(file, 'one\ntwo\nthree\nfour\n', { mode: 0o600 })
    assert.equal((await cambio('transaction', 'refund', id, '--to', file, ...why)).exitCode, 2)
    await writeFile(file, `${to.address}\n\n${to.holder}\n`)
    assert.equal((await cambio('transaction', 'refund', id, '--to', file, '--amount', '5', ...why)).exitCode, 2)
    const { exitCode, err } = await cambio('transaction', 'refund', id, '--to', file, ...why)
    assert.deepEqual([exitCode, err], [0, ''])
    await arrive(exchange, id, 'refunded')
    const [audited] = await lookup<{ row: string }>(
      exchange,
      `select audit::text as row from audit where action = 'transaction.refund_redirected' order by id desc limit 1`,
    )
    assert.match(audited?.row ?? '', /their account is closed/)
    assert.ok(!audited?.row.includes(to.address))
    await assertBooksHold(exchange)
  })

  it('of nobody’s money goes to another account as well, once the way it came has failed', async () => {
    const before = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id } = await readyToPay(exchange, transfer)
    const deposit = await strayDeposit(exchange, () => pay(exchange, id, { reference: 'rent for May' }))
    await assert.rejects(returnSuspense(ctxOf(), deposit, { ...order, to }), { code: 'CONFLICT' })
    const stateOf = async () =>
      (await lookup<{ state: string }>(exchange, 'select state from refunds where deposit_id = $1', [deposit]))[0]
        ?.state
    await whileTheBankRefuses(async () => {
      await returnSuspense(ctxOf(), deposit, order)
      await until(async () => (await stateOf()) === 'failed', 'the refusal')
    })
    const email = 'finance@example.com'
    await createOperator(ctxOf(), { email, password, role: 'finance' }, 'cli:test')
    assert.match(await seenBy(email, '/console/money'), says('250', 'sender'))
    await returnSuspense(ctxOf(), deposit, { ...order, to })
    await until(async () => (await stateOf()) === 'paid', 'the return')
    assert.equal(await bookBalance(exchange, 'suspense', 'EUR-EUR'), before)
    await assertBooksHold(exchange)
  })
})

describe('money of nobody’s that sending back would eat up', () => {
  const books = async () => [
    await bookBalance(exchange, 'suspense', 'XRP-XRP'),
    await bookBalance(exchange, 'fees:dust', 'XRP-XRP'),
  ]

  async function strayCoins(amount: string): Promise<bigint> {
    const { id } = await readyToPay(exchange, { from_amount: '200', from_currency: 'XRP', to_currency: 'EUR' })
    const who = { partnerId: BigInt(exchange.sandbox.partner_id), publicId: BigInt(id) }
    const deposit = { amount, reference: '4294967295' }
    const { world: processor } = exchange
    return strayDeposit(exchange, () => payDeposit(ctxOf(), processor, { ...who, deposit }))
  }

  it('is written off by an operator, once, and no more of it', async () => {
    const before = await books()
    const deposit = await strayCoins('0.001')
    await assert.rejects(returnSuspense(ctxOf(), deposit, order), { code: 'CONFLICT' })
    await assert.rejects(writeOffSuspense(ctxOf(), deposit, { ...order, reason: ' ' }), { code: 'BAD_REQUEST' })
    await writeOffSuspense(ctxOf(), deposit, order)
    await assert.rejects(writeOffSuspense(ctxOf(), deposit, order), { code: 'CONFLICT' })
    const [suspense = 0n, dust = 0n] = await books()
    assert.deepEqual([suspense, dust], [before[0], (before[1] ?? 0n) - 1_000n])
    assert.ok(!(await listSuspense(ctxOf())).some(({ id }) => id === deposit))
    const audited = await lookup(exchange, `select 1 from audit where action = 'deposit.written_off'`)
    assert.equal(audited.length, 1)
    await assertBooksHold(exchange)
  })

  it('is not what can be returned', async () => {
    const deposit = await strayCoins('150')
    const { exitCode, err } = await cambio('suspense', 'writeoff', String(deposit), ...why)
    assert.deepEqual([exitCode, /return it/.test(err)], [1, true])
    assert.ok((await listSuspense(ctxOf())).some(({ id }) => id === deposit))
  })
})
