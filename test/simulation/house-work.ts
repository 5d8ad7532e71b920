import { setPartner } from '../../src/exchange/partners/change.ts'
import { forgetPartners } from '../../src/exchange/partners/known.ts'
import { updateBalanceSnapshot } from '../../src/exchange/ledger/balance.ts'
import { raiseOffset } from '../../src/sandbox/api/queries.ts'
import type { Action } from './action.ts'
import { bringMoney, type Stage } from './stage.ts'
import { placeEvents, type Worker } from './worker.ts'

const always = () => true

/** Runs work that a process has set going: not always in the order in which it did. */
async function work({ dice, workers }: Stage, worker: Worker): Promise<string> {
  const { begun } = worker.begun.length > 0 ? worker : (workers.find(({ begun: any }) => any.length > 0) ?? worker)
  if (begun.length === 0) return 'nothing'
  const [next] = begun.splice(dice.chance(80) ? 0 : dice.below(begun.length), 1)
  await next?.()
  return `${begun.length} left`
}

/** Looks for due jobs, and does what was found. */
async function lookForWork(stage: Stage, worker: Worker): Promise<string> {
  worker.composition.ctx.queue.wake()
  const words = []
  for (let times = 1 + stage.dice.below(6); times > 0; times -= 1) words.push(await work(stage, worker))
  return words.join(', ')
}

/** Moves business time to the next thing that it makes due, for everyone. */
async function jump({ dice, workers, ask }: Stage, worker: Worker): Promise<string> {
  const { ctx } = worker.composition
  const rank = dice.below(3)
  const rows = await ask<{ at: Date }>(
    `select at from (
       select run_at as at from jobs where timebase = 'business' union
       select quote_expires_at from transactions where status in ('new', 'waiting_for_customer', 'waiting_for_deposit')
     ) as due where at > $1 order by at offset $2 limit 1`,
    [ctx.clock.now(), rank],
  )
  const [next] = rows
  if (!next) return 'nowhere'
  await moveTo(workers, worker, new Date(next.at.getTime() + 1))
  return next.at.toISOString()
}

/** Sets business time, unless it is past that already. The other process hears of it in the same moment, or not yet. */
export async function moveTo(workers: Worker[], { composition: { ctx } }: Worker, at: Date): Promise<void> {
  const ahead = Math.max(0, at.getTime() - ctx.clock.realNow().getTime())
  const offset = Number.parseInt(String(await raiseOffset(ctx.db, BigInt(ahead))), 10)
  for (const { composition } of workers) composition.ctx.clock.learnOffset(offset)
}

const settings: readonly Record<string, string>[] = [
  { slippage_percent: '0.1' },
  { slippage_percent: '2' },
  { slippage_percent: '15' },
]

/** What goes on inside the house: work, time, money, its keeper's hand. */
export const houseActions: readonly Action[] = [
  { name: 'work', weight: 60, isPossible: ({ workers }) => workers.some(({ begun }) => begun.length > 0), run: work },
  { name: 'look for work', weight: 40, isPossible: always, run: lookForWork },
  {
    name: 'pass',
    weight: 24,
    isPossible: always,
    run: async (stage) => {
      const seconds = stage.dice.pick([1, 1, 2, 3, 6, 12, 60])
      stage.pass(seconds * 1_000)
      return `${seconds} s`
    },
  },
  { name: 'jump', weight: 2, isPossible: always, run: jump },
  {
    name: 'renew leases',
    weight: 5,
    isPossible: always,
    run: async (_stage, { renewals }) => {
      for (const renewal of renewals) await renewal()
      return ''
    },
  },
  {
    name: 'place events',
    weight: 8,
    isPossible: always,
    run: async (_stage, worker) => {
      await placeEvents(worker)
      return ''
    },
  },
  {
    name: 'fold balances',
    weight: 2,
    isPossible: always,
    run: async (_stage, { composition: { ctx } }) => {
      await updateBalanceSnapshot(ctx.db)
      return ''
    },
  },
  {
    name: 'move the market',
    weight: 5,
    isPossible: always,
    run: async ({ dice, market }) => {
      const [ticker, thousandths] = [
        dice.pick(['BTC', 'ETH', 'XRP']),
        dice.pick([700, 950, 990, 1_000, 1_005, 1_050, 1_300]),
      ]
      market.setPrice(ticker, BigInt(thousandths))
      return `${ticker} ${thousandths}`
    },
  },
  {
    name: 'change an account',
    weight: 1,
    isPossible: always,
    run: async ({ dice, partners }, { composition: { ctx } }) => {
      const [partner, change] = [dice.pick(partners), dice.pick(settings)]
      await setPartner(ctx, partner, change, 'simulation')
      return JSON.stringify(change)
    },
  },
  {
    name: 'hear of changes',
    weight: 2,
    isPossible: always,
    run: async (_stage, { composition: { ctx } }) => {
      forgetPartners(ctx)
      return ''
    },
  },
  {
    name: 'bring money',
    weight: 3,
    isPossible: always,
    run: async (_stage, { composition: { ctx } }) => {
      await ctx.db.atomic((db) => bringMoney(ctx, db, 400n, false))
      return ''
    },
  },
]
