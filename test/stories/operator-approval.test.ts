import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { capital, held as accountHeld } from '../../src/exchange/ledger/account.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import { createOperator, type Operator } from '../../src/exchange/operators/operator.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { approvePayout } from '../../src/exchange/settlement/approval.ts'
import { releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  arrive,
  assertBooksHold,
  bookBalance,
  lookup,
  pay,
  read,
  readyToPay,
  seen,
  statusesOf,
} from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'

type Listed = { id: string; transaction_id: string; needs_approvals: number; approved_by: string[]; amount: string }

let exchange: Exchange
const people: { operator: Operator; token: string }[] = []

before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(exchange.service.composition.ctx, { kind: 'approvals', document })
  const { ctx } = exchange.service.composition
  for (const name of ['ann', 'bob', 'cleo']) {
    const email = `${name}@example.com`
    const operator = await createOperator(ctx, { email, password: 'correct horse battery' }, 'test')
    people.push({ operator, token: (await createToken(ctx, email, 'test')).text })
  }
})
after(() => exchange.stop())

const someone = (at: number): { operator: Operator; token: string } => people[at] ?? assert.fail('nobody')
const approve = (id: string, who: number) =>
  approvePayout(exchange.service.composition.ctx, BigInt(id), someone(who).operator)
const command = (who: number | null, ...args: string[]) =>
  runCommand([...args, '--json'], {
    DATABASE_URL: exchange.ownerUrl,
    DATA_DIR: exchange.dataDir,
    ...(who === null ? {} : { OPERATOR_TOKEN: someone(who).token }),
  })
const waiting = async (): Promise<Listed[]> =>
  JSON.parse((await command(null, 'payout', 'list', '--waiting')).out) as Listed[]
/** What the sandbox's chain itself has sent. */
const sent = async (): Promise<number> =>
  (await lookup(exchange, `select 1 from sandbox.transfers where nonce ~ '^[0-9]+$'`)).length

/** A buy of so many euro, paid. */
async function paid(amount: string): Promise<string> {
  const { id } = await readyToPay(exchange, { from_amount: amount })
  await pay(exchange, id)
  return id
}
async function held(amount = '600'): Promise<string> {
  const id = await paid(amount)
  await arrive(exchange, id, 'on_hold')
  return id
}

/** The operator takes all of its tether on Tron home: from the chain and from the books. */
async function takeTetherHome(): Promise<void> {
  const { ctx } = exchange.service.composition
  const amount = await bookBalance(exchange, 'held:wallet-trx', 'USDT-TRX')
  const taken = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
  const posting = { debit: capital, credit: accountHeld('wallet-trx'), asset: 'USDT-TRX', amount }
  await lookup(exchange, `update sandbox.wallets set balance = balance - $1 where asset = 'USDT-TRX'`, [String(amount)])
  await ctx.db.atomic((db) => post(db, ctx, [entry(taken, [posting])]))
}

describe('a payout above the limit', () => {
  it('waits for two different operators, says so, and then is paid once', async () => {
    const id = await held()
    const record = await read(exchange, id)
    assert.equal(record.status_details, 'review')
    const [move] = await lookup<{ reason: string }>(
      exchange,
      `select reason from status_history join transactions on transactions.id = transaction_id
       where public_id = ${id} order by number desc limit 1`,
    )
    assert.equal(move?.reason, 'This payout needs the approval of 2 different operators.')
    const [decided] = await lookup<{ policies: object }>(
      exchange,
      `select policies from decision_policies join transactions on transactions.id = transaction_id where public_id = ${id}`,
    )
    assert.deepEqual(decided?.policies, { approvals: 2 })
    const shown = JSON.parse((await command(null, 'transaction', 'show', id)).out) as {
      history: { policies: object }[]
    }
    assert.deepEqual(shown.history.at(-1)?.policies, { approvals: 2 })
    assert.deepEqual(shown.history.at(-2)?.policies, {})
    const before = await sent()
    const listed = (await waiting()).find((one) => one.transaction_id === id)
    assert.deepEqual([listed?.needs_approvals, listed?.approved_by], [2, []])

    const first = await command(0, 'payout', 'approve', listed?.id ?? '')
    assert.deepEqual([first.exitCode, first.err], [0, ''])
    assert.equal((JSON.parse(first.out) as { goes_on: boolean }).goes_on, false)
    const again = await command(0, 'payout', 'approve', listed?.id ?? '')
    assert.equal(again.exitCode, 1)
    assert.match(again.err, /already/)
    assert.deepEqual((await waiting()).find((one) => one.transaction_id === id)?.approved_by, ['ann@example.com'])
    assert.equal((await read(exchange, id)).status, 'on_hold')
    assert.equal(await sent(), before)

    const second = await command(1, 'payout', 'approve', id)
    assert.equal((JSON.parse(second.out) as { goes_on: boolean }).goes_on, true)
    const finished = await arrive(exchange, id, 'finished')
    assert.deepEqual(statusesOf(finished).slice(-5), ['exchanging', 'on_hold', 'exchanging', 'sending', 'finished'])
    assert.equal(await sent(), before + 1)
    assert.equal(
      (await waiting()).some((one) => one.transaction_id === id),
      false,
    )
    await assert.rejects(approve(id, 2), { code: 'CONFLICT' })
    await assertBooksHold(exchange)
  })

  it('is not got around by paying in parts', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '400', deposit: { payment_category: 'SEPA' } })
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await pay(exchange, id)
    const record = await arrive(exchange, id, 'on_hold')
    assert.match(record.status_history.at(-1)?.reason ?? '', /needs the approval of 2/)
    await approve(id, 0)
    await approve(id, 1)
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
  })

  it('is approved by nobody without a token', async () => {
    const id = await held()
    const { exitCode, err } = await command(null, 'payout', 'approve', id)
    assert.equal(exitCode, 1)
    assert.match(err, /needs an operator token/)
    assert.deepEqual(
      await lookup(
        exchange,
        `select 1 from approvals join payouts on payouts.id::text = subject and approvals.kind = 'payout'
      join transactions on transactions.id = transaction_id where public_id = ${id}`,
      ),
      [],
    )
  })

  it('is audited, approval by approval', async () => {
    const id = await held()
    const { payoutId } = await approve(id, 0)
    await approve(id, 1)
    const rows = await lookup<{ actor: string; action: string; after: { approvals: number } }>(
      exchange,
      `select actor, action, after from audit where subject = 'payout:${payoutId}' order by id`,
    )
    assert.deepEqual(
      rows.map(({ actor, action, after: { approvals } }) => [actor, action, approvals]),
      [0, 1].map((at) => [`operator:${someone(at).operator.id}`, 'payout.approved', at + 1]),
    )
    await arrive(exchange, id, 'finished')
  })

  it('is paid once, whoever approves, releases and approves again at the same time', async () => {
    const { ctx } = exchange.service.composition
    const id = await held()
    const before = await sent()
    await Promise.allSettled([
      ...[0, 1, 2, 0, 1, 2].map((at) => approve(id, at)),
      releaseTransaction(ctx, BigInt(id), { reason: 'in a hurry', actor: 'test' }),
    ])
    // A release takes it out of on_hold until its approvals are counted again, so it is looked at until it is paid.
    let at = 0
    await seen(exchange, id, 'it to be paid', async ({ status }) => {
      if (status === 'on_hold')
        await approve(id, at++ % 3).catch((error: unknown) => assert.match(String(error), /already|not waiting/))
      return status === 'finished'
    })
    assert.equal(await sent(), before + 1)
    assert.equal(
      (
        await lookup(
          exchange,
          `select 1 from payouts join transactions on transactions.id = transaction_id
        where public_id = ${id} and state = 'paid'`,
        )
      ).length,
      1,
    )
    await assertBooksHold(exchange)
  })

  it('is the only one that waits: what is worth no more than the limit goes on by itself', async () => {
    const before = await waiting()
    const id = await paid('500')
    assert(!statusesOf(await arrive(exchange, id, 'finished')).includes('on_hold'))
    assert.deepEqual(await waiting(), before)
    await assert.rejects(approve(id, 0), { code: 'CONFLICT' })
    await assert.rejects(approve('12345', 0), { code: 'NOT_FOUND' })
  })

  it('is approved only while it waits for that, not where something else is waited for', async () => {
    await takeTetherHome()
    const { id } = await readyToPay(exchange, { to_currency: 'USDT', to_network: 'TRX' })
    await pay(exchange, id)
    await arrive(exchange, id, 'exchanging')
    await assert.rejects(approve(id, 0), { code: 'CONFLICT', message: 'This payout is not waiting for approval.' })
  })
})

describe('a payout above the limit of before', () => {
  it('that has waited once waits for both, though the limit is above it since', async () => {
    const { ctx } = exchange.service.composition
    const limit = (above: string) =>
      putInForce(ctx, {
        kind: 'approvals',
        document: { payouts: { above, currency: 'EUR' }, policies: 'one_operator' },
      })
    const id = await held()
    await limit('5000')
    const before = await sent()
    await releaseTransaction(ctx, BigInt(id), { reason: 'A test asks for it.', actor: 'cli:test' })
    await seen(exchange, id, 'it to wait again', ({ status, status_history: told }) => {
      const times = told.filter((one) => one.status === 'on_hold').length
      return status === 'on_hold' && times === 2
    })
    assert.equal(await sent(), before)
    await approve(id, 0)
    await approve(id, 1)
    await arrive(exchange, id, 'finished')
    assert.equal(await sent(), before + 1)
    await limit('500')
  })
})
