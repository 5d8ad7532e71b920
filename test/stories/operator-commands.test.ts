import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { after, before, describe, it, test } from 'node:test'

import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, checkOut, create, lookup, pay, read, settled } from '../support/journey.ts'
import { until } from '../support/telling.ts'

type Stood = { transaction_id: string; status: string; status_details: string | null; reason: string | null }
type Suspended = { id: string; rail: string; asset: string; amount: string }
type Audited = { actor: string; action: string; subject: string; after: Record<string, unknown> }

let exchange: Exchange
let told: CommandLine['told']
let cambio: CommandLine['cambio']

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  ;({ told, cambio } = commandLineOf(exchange))
})
after(() => exchange.stop())

const why = ['--reason', 'a customer has asked']

/** A buy by bank transfer that its customer was told how to pay. */
async function byTransfer(): Promise<string> {
  const { id } = await create(exchange, { from_amount: '200' })
  await checkOut(exchange, id, { payment_category: 'SEPA' })
  return id
}
const staff = (verb: string, id: string, ...args: string[]) => told<Stood>('transaction', verb, id, ...args, ...why)

/** Every decision is written down with who took it and why. */
async function audited(action: string): Promise<Audited> {
  const entries = await told<Audited[]>('audit', 'list', '--limit', '20')
  const entry = entries.find((one) => one.action === action)
  assert(entry, `${action} is not among ${entries.map((one) => one.action).join(', ')}`)
  assert.equal(entry.actor, `cli:${userInfo().username}`)
  assert.match(JSON.stringify(entry.after), /a customer has asked/)
  return entry
}

describe('what operators do about one transaction', () => {
  it('hold: it waits for a person, money or not, until it is released, and then goes on', async () => {
    const id = await byTransfer()
    const stood = await staff('hold', id)
    assert.deepEqual([stood.transaction_id, stood.status, stood.status_details], [id, 'on_hold', 'review'])
    assert.equal(stood.reason, 'A person must decide.', 'what an operator writes is for the audit, not for partners')
    await audited('transaction.held')
    await pay(exchange, id)
    await settled(exchange)
    assert.equal((await read(exchange, id)).status, 'on_hold')
    await staff('release', id)
    await arrive(exchange, id, 'finished')
    await audited('transaction.released')
    await assertBooksHold(exchange)
  })

  it('refund: a part, and then the rest, goes back the way it came', async () => {
    const id = await byTransfer()
    await pay(exchange, id, { amount: '120' })
    await arrive(exchange, id, 'on_hold')
    const part = await cambio('transaction', 'refund', id, '--amount', '1000', ...why)
    assert.notEqual(part.exitCode, 0)
    await staff('refund', id, '--amount', '20')
    await until(async () => (await read(exchange, id)).refunds.some(({ status }) => status === 'paid'), 'a part')
    await staff('refund', id)
    const { refunds } = await arrive(exchange, id, 'refunded')
    assert.deepEqual(
      refunds.map(({ amount, currency, status }) => [amount, currency, status]),
      [
        ['20', 'EUR', 'paid'],
        ['100', 'EUR', 'paid'],
      ],
    )
    await audited('transaction.refunded')
    await assertBooksHold(exchange)
  })

  it('cancel: it ends where no money is, and not where there is', async () => {
    const id = await byTransfer()
    assert.equal((await staff('cancel', id)).status, 'cancelled')
    await audited('transaction.cancelled')
    const paid = await byTransfer()
    await pay(exchange, paid)
    await arrive(exchange, paid, 'finished')
    assert.equal((await cambio('transaction', 'cancel', paid, ...why)).exitCode, 1)
  })

  it('nothing without a reason, and nothing to what is not there', async () => {
    const id = await byTransfer()
    for (const verb of ['hold', 'release', 'refund', 'cancel']) {
      assert.equal((await cambio('transaction', verb, id)).exitCode, 2, verb)
      assert.equal((await cambio('transaction', verb, id, '--reason', ' ')).exitCode, 2, verb)
      assert.equal((await cambio('transaction', verb, '12345', ...why)).exitCode, 1, verb)
    }
    assert.equal((await cambio('transaction', 'refund', id, '--amount', 'much', ...why)).exitCode, 2)
  })
})

describe('what operators do about money of nobody', () => {
  /** A transfer for a transaction, with another text than its reference. */
  async function lost(id: string): Promise<Suspended> {
    const before = new Set((await told<Suspended[]>('suspense', 'list')).map((one) => one.id))
    await pay(exchange, id, { reference: 'rent for May' })
    await settled(exchange)
    const found = (await told<Suspended[]>('suspense', 'list')).find((one) => !before.has(one.id))
    assert(found)
    assert.deepEqual([found.rail, found.asset, found.amount], ['sandbox-bank', 'EUR-EUR', '200'])
    return found
  }

  it('match: the transaction that it was for goes on as if it had come right', async () => {
    const id = await byTransfer()
    const deposit = await lost(id)
    await told('suspense', 'match', deposit.id, id, ...why)
    await arrive(exchange, id, 'finished')
    await audited('deposit.matched')
    assert.equal((await cambio('suspense', 'match', deposit.id, id, ...why)).exitCode, 1)
    assert.equal((await cambio('suspense', 'return', deposit.id, ...why)).exitCode, 1)
    await assertBooksHold(exchange)
  })

  it('return: it goes back the way it came, once', async () => {
    const deposit = await lost(await byTransfer())
    await told('suspense', 'return', deposit.id, ...why)
    await audited('deposit.returned')
    assert.equal((await cambio('suspense', 'return', deposit.id, ...why)).exitCode, 1)
    const states = async () =>
      (await lookup<{ state: string }>(exchange, 'select state from refunds where deposit_id = $1', [deposit.id])).map(
        ({ state }) => state,
      )
    await until(async () => (await states()).join() === 'paid', 'the money to be back')
    assert.equal(
      (await told<Suspended[]>('suspense', 'list')).some(({ id }) => id === deposit.id),
      false,
    )
    await assertBooksHold(exchange)
  })
})

test('a rail that has stopped is shown with its reason, and credits again when an operator says so', async () => {
  type Shown = { name: string; halted_since: string | null; halted_reason: string | null }
  const railNamed = async (name: string) => (await told<Shown[]>('rail', 'list')).find((one) => one.name === name)
  assert.equal((await railNamed('sandbox-bank'))?.halted_since, null)
  await lookup(
    exchange,
    `insert into halts (name, since, reason) values ('sandbox-bank', now(), 'money was taken back')`,
  )
  assert.equal((await railNamed('sandbox-bank'))?.halted_reason, 'money was taken back')
  await told('rail', 'resume', 'sandbox-bank', ...why)
  await audited('rail.resumed')
  assert.equal((await railNamed('sandbox-bank'))?.halted_since, null)
  assert.equal((await cambio('rail', 'resume', 'sandbox-bank', ...why)).exitCode, 1)
})
