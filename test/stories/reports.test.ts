import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { flowOf } from '../../src/exchange/reports/flow.ts'
import { spanOf } from '../../src/exchange/reports/report.ts'
import { everythingValued } from '../support/profit.ts'
import { profitAndLoss } from '../../src/exchange/treasury/profit.ts'
import { runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, buy, create, pay, railEvent, readyToPay, seen } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

async function command<Json>(...args: string[]): Promise<Json> {
  const { out, err, exitCode } = await runCommand([...args, '--json'], {
    DATABASE_URL: exchange.ownerUrl,
    DATA_DIR: exchange.dataDir,
  })
  assert.equal(exitCode, 0, err)
  return JSON.parse(out) as Json
}

type Figures = {
  created: number
  paid: number
  finished: number
  refunded: number
  volume_eur: string
  fees_eur: string
  profit_eur: string
}
type Report = {
  from: string
  to: string
  rows: (Figures & { partner_id: string; side: string; asset: string })[]
  total: Figures
}

const units = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return BigInt(whole + fraction.padEnd(8, '0')) * (text.startsWith('-') ? -1n : 1n)
}

describe('reports', () => {
  it('count orders and money once, add up to their total, and to the profit and loss of the same days', async () => {
    await buy(exchange)
    await buy(exchange)
    const transfer = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
    await pay(exchange, transfer.id)
    await arrive(exchange, transfer.id, 'finished')
    const bounced = await buy(exchange)
    await railEvent(exchange, bounced.id, 'bounce')
    await arrive(exchange, bounced.id, 'on_hold')
    await everythingValued(exchange.service.composition.ctx)
    const { from, rows, total } = await command<Report>('report', 'day')
    const day = from.slice(0, 10)
    assert.deepEqual(
      rows.map(({ partner_id: partner, side, asset }) => [partner, side, asset]),
      [[exchange.sandbox.partner_id, 'buy', 'BTC']],
    )
    assert.deepEqual([total.created, total.paid, total.finished, total.refunded], [4, 4, 4, 0])
    assert.equal(units(total.volume_eur), 550n * 100_000_000n)
    assert.ok(units(total.fees_eur) > 0n)
    for (const field of ['volume_eur', 'fees_eur', 'profit_eur'] as const) {
      assert.equal(
        rows.reduce((sum, row) => sum + units(row[field]), 0n),
        units(total[field]),
        field,
      )
    }
    const pnl = await command<Record<string, string>[]>('treasury', 'pnl', '--since', day, '--until', day)
    const columns = ['spread', 'fees', 'method_costs', 'network_costs', 'hedging', 'drift']
    const earned = pnl.flatMap((row) => columns.map((column) => units(row[column] ?? '0')))
    assert.equal(
      units(total.profit_eur),
      earned.reduce((sum, one) => sum + one, 0n),
    )

    const month = await command<Report>('report', 'month')
    assert.deepEqual(month.total, total)
    assert.equal(month.from.slice(8, 10), '01')
    const week = await command<Report>('report', 'week')
    assert.equal(new Date(week.from).getUTCDay(), 1)
  })

  it('list the orders of all partners by what is known of them, as JSON and CSV', async () => {
    const done = await buy(exchange, { from_amount: '123.45' })
    const found = async (...args: string[]) =>
      (await command<{ id: string }[]>('transaction', 'list', ...args)).map(({ id }) => id)
    assert.deepEqual(await found('--amount', '123.45'), [done.id])
    assert.deepEqual(await found('--hash', done.output_hash ?? ''), [done.id])
    assert.deepEqual(await found('--email', done.email?.slice(2, 24) ?? ''), [done.id])
    assert.ok((await found('--status', 'finished', '--side', 'buy')).includes(done.id))
    assert.deepEqual(await found('--status', 'refunded'), [])
    const { out } = await runCommand(['transaction', 'list', '--amount', '123.45', '--csv'], {
      DATABASE_URL: exchange.ownerUrl,
      DATA_DIR: exchange.dataDir,
    })
    assert.match(out, new RegExp(`^id,created_at,.*\\r?\\n${done.id},`, 's'))
  })

  it('export the journal by command', async () => {
    const month = exchange.service.composition.ctx.clock.now().toISOString().slice(0, 7)
    const { journal } = await command<{ journal: string }>('journal', 'export', '--month', month, '--format', 'ledger')
    assert.match(journal, / exchange ; entry \d+, transaction \d{15}\n/)
  })

  it('say where customers stopped, how rails did, what payments cost and what went back', async () => {
    const { ctx } = exchange.service.composition
    const span = spanOf('day', ctx.clock.now().toISOString().slice(0, 10))
    const before = await flowOf(ctx, span)
    await create(exchange)
    await readyToPay(exchange)
    await buy(exchange)
    const charged = await buy(exchange)
    await railEvent(exchange, charged.id, 'chargeback')
    await seen(exchange, charged.id, 'the chargeback', ({ errors }) => errors.length > 0)
    await everythingValued(ctx)
    const after = await flowOf(ctx, span)
    const gained = Object.fromEntries(
      Object.entries(after.conversion).map(([step, count]) => [
        step,
        Number(count - before.conversion[step as keyof typeof before.conversion]),
      ]),
    )
    assert.deepEqual(gained, { created: 4, proven: 3, ready: 3, paid: 2, finished: 2 })
    const card = (of: typeof after) => of.rails.find(({ deposits, rail }) => deposits > 0n && rail.includes('card'))
    assert.equal((card(after)?.deposits ?? 0n) - (card(before)?.deposits ?? 0n), 2n)
    assert.equal((card(after)?.takenBack ?? 0n) - (card(before)?.takenBack ?? 0n), 1n)
    const reversals = (of: typeof after) => of.givenBack.find(({ kind }) => kind === 'reversals')?.amount ?? 0n
    assert.equal(reversals(after) - reversals(before), 10_000n)
    const profit = await profitAndLoss(ctx, {
      since: span.since.toISOString().slice(0, 10),
      until: span.since.toISOString().slice(0, 10),
    })
    const sum = (parts: bigint[]) => parts.reduce((all, part) => all + part, 0n)
    assert.equal(
      sum(after.costs.map(({ method }) => method)),
      sum(profit.map(({ methodCosts }) => methodCosts)),
      'as the profit has it',
    )
  })
})
