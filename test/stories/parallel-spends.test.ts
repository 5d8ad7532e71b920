import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { capital, held } from '../../src/exchange/ledger/account.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, bookBalance, lookup, pay, readyToPay } from '../support/journey.ts'
import { startTwin } from '../support/twin.ts'

const orders = 500
const atOnce = 50
const tether = { to_currency: 'USDT', to_network: 'TRX' }
const patienceMs = 300_000

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

/** Has the hot wallet hold so many units of tether, on the chain and in the books: the rest is brought, or taken home. */
async function holdExactly(units: bigint): Promise<void> {
  const { ctx } = exchange.service.composition
  const more = units - (await bookBalance(exchange, held('wallet-trx'), 'USDT-TRX'))
  const [debit, credit] = more > 0n ? [held('wallet-trx'), capital] : [capital, held('wallet-trx')]
  const brought = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
  await lookup(exchange, `update sandbox.wallets set balance = balance + $1 where asset = 'USDT-TRX'`, [String(more)])
  const amount = more > 0n ? more : -more
  await ctx.db.atomic((db) => post(db, ctx, [entry(brought, [{ debit, credit, asset: 'USDT-TRX', amount }])]))
}

/** Does all of them, so many at a time. */
async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item)
    }),
  )
}

/** `key`: what the chain knows it by; null for one that was not prepared. */
type Payout = { key: string | null; state: string; amount: string }

const payouts = (): Promise<Payout[]> =>
  lookup<Payout>(
    exchange,
    `select plan_key as key, payouts.state, amount from payouts left join plans on plans.id = plan_id
     order by plan_key::bigint`,
  )

/** Waits until each payout has either been made or been found to be more than is left. */
async function decided(): Promise<Payout[]> {
  const end = performance.now() + patienceMs
  for (;;) {
    const rows = await payouts()
    if (rows.length === orders && rows.every(({ state }) => ['paid', 'waiting'].includes(state))) return rows
    if (performance.now() > end) assert.fail(`Not decided in time: ${await undecided(rows.length)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** What is left to be done, for whoever reads the failure. */
async function undecided(count: number): Promise<string> {
  const rows = await lookup<{ what: string }>(
    exchange,
    `select concat_ws(' ', state, count(*)) as what from payouts group by state
     union all select concat_ws(' ', status, status_details, count(*)) from transactions group by status, status_details
     union all select concat_ws(' ', kind, key, attempts, run_at, lease_until, last_error) from (
       select * from jobs where kind <> 'transaction.deadline' order by run_at limit 20) as left_over`,
  )
  return [`${count} payouts`, ...rows.map(({ what }) => what)].join('\n')
}

const sum = (rows: Payout[]): bigint => rows.reduce((total, { amount }) => total + BigInt(amount), 0n)

test(
  'of 500 parallel payouts of one place, under two workers, exactly those are made that it has money for',
  { timeout: 600_000 },
  async (t) => {
    const twin = await startTwin(exchange)
    t.after(() => twin.stop())
    const had = 20_000_000_000n
    await holdExactly(had)
    const ids: string[] = []
    await inParallel([...Array(orders).keys()], async () => ids.push((await readyToPay(exchange, tether)).id))
    await inParallel(ids, (id) => pay(exchange, id))

    const rows = await decided()
    const made = rows.filter(({ state }) => state === 'paid')
    const waiting = rows.filter(({ state }) => state === 'waiting')
    const left = had - sum(made)
    assert.ok(made.length > 100 && waiting.length > 100, `${made.length} made, ${waiting.length} waiting`)
    assert.ok(left >= 0n, 'never below zero')
    assert.ok(
      waiting.every(({ amount }) => BigInt(amount) > left),
      'what is left is not enough for any that waits',
    )
    assert.equal(await bookBalance(exchange, held('wallet-trx'), 'USDT-TRX'), left)

    const sent = await lookup<{ nonce: string; amount: string }>(
      exchange,
      `select nonce, amount from sandbox.transfers where nonce = any($1) order by nonce::bigint`,
      [rows.flatMap(({ key }) => key ?? [])],
    )
    assert.deepEqual(
      sent,
      made.map(({ key: nonce, amount }) => ({ nonce, amount })),
      "the chain's own records",
    )
    await assertBooksHold(exchange)
  },
)
