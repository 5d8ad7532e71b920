import type pg from 'pg'

import { listings } from '../../src/reference/catalog/asset.ts'
import { findNetwork } from '../../src/reference/catalog/network.ts'
import { nativeAsset } from '../../src/reference/catalog/sync-assets.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import type { Atomic } from '../../src/platform/db/sql.ts'
import { capital, held } from '../../src/exchange/ledger/account.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import type { Log } from '../../src/platform/lib/log.ts'
import { Refusal } from '../../src/platform/lib/refusal.ts'
import type { Asset } from '../../src/platform/money/amount.ts'
import { createOperator, type Operator } from '../../src/exchange/operators/operator.ts'
import { createPartner } from '../../src/exchange/partners/create.ts'
import { featureNames } from '../../src/exchange/partners/settings.ts'
import { rateBetween } from '../../src/exchange/pricing/rate.ts'
import { recordedMarket } from '../../src/markets/recorded/recorded-market.ts'
import { fundBank, fundWallet } from '../../src/sandbox/rails.ts'
import { walletOf } from '../../src/sandbox/chain/wallet.ts'
import { type StillMarket, stillMarket } from '../support/still-market.ts'
import { openGround } from './database.ts'
import { type Dice, openDice } from './dice.ts'
import { chains, fiats } from './roads.ts'
import { openScheduler, type Scheduler } from './scheduler.ts'
import { type Ground, startWorker, type Worker } from './worker.ts'

/** What a transaction looks like from outside, after the last step. */
export type Deal = {
  number: number
  publicId: bigint
  partnerId: bigint
  status: string
  details: string | null
  fromAsset: string
  rail: string | null
  /** How many of its payouts a rail has carried out, and how many of its deposits are booked. */
  paid: number
  deposits: number
}

/** Everything of one run: the database, two processes, the time, the market, and what was acknowledged to anybody. */
export type Stage = {
  dice: Dice
  scheduler: Scheduler
  owner: pg.Client
  /** Looks, or meddles, behind everybody's back in the middle of a step. */
  ask<Row extends object>(text: string, values: unknown[]): Promise<Row[]>
  workers: Worker[]
  market: StillMarket
  partners: bigint[]
  operators: Operator[]
  deals: Deal[]
  /** On whom everybody acts in a step in which several things happen at once. */
  focus: Deal | undefined
  /** Public ids of transactions whose create was answered. */
  acknowledged: Set<bigint>
  /** Lost words of rails, to be told again in the end: rails repeat themselves. */
  silenced: { rail: string; body: string }[]
  /** What processes logged as their own failure since the last step. */
  complaints: string[]
  /** What rails declined to carry out since the last step, as processes logged it: nobody but a wallet without money may do so. */
  declined: string[]
  realNow(): number
  /** Lets real time pass, and business time with it. */
  pass(ms: number): void
  /** Puts a new process in the place of one that was killed. */
  revive(): Promise<void>
  close(): Promise<void>
}

const begin = Date.parse('2026-03-02T10:00:00.500Z')

/** What each place begins with, in euro: little, so that payouts have to wait for money. */
const firstWorth = 900n

/** Builds a stage on a database of its own. */
export async function openStage(seed: number): Promise<Stage> {
  const database = await openGround()
  const { owner } = database
  const dice = openDice(seed)
  const scheduler = await openScheduler(database.ownerUrl, dice)
  let real = begin
  const clock = (): Clock => {
    let ahead = 0
    return {
      now: () => new Date(real + ahead),
      realNow: () => new Date(real),
      offsetMs: () => ahead,
      learnOffset: (offsetMs) => {
        ahead = Math.max(ahead, offsetMs)
      },
      follow: () => 0,
    }
  }
  const complaints: string[] = []
  const declined: string[] = []
  const market = stillMarket(recordedMarket(1), new Date(begin))
  const ground: Ground = { url: database.url, scheduler, market, clock, log: listening(complaints, declined) }
  const workers: Worker[] = []
  const partners: bigint[] = []
  const operators: Operator[] = []
  let starts = 0
  const start = async (): Promise<Worker> => startWorker(ground, `worker ${(starts += 1)}`)

  await scheduler.run([
    async () => {
      workers.push(await start(), await start())
      const ctx = workers[0]?.composition.ctx
      if (!ctx) throw new Error('There is no process.')
      await ctx.db.atomic((db) => bringMoney(ctx, db, firstWorth, true))
      const features = Object.fromEntries(featureNames.map((name) => [name, true]))
      for (const name of ['One', 'Two', 'Three']) {
        const { partner } = await createPartner(ctx, { name, features: name === 'Two' ? {} : features }, 'simulation')
        partners.push(partner.id)
      }
      for (const name of ['one', 'two', 'three']) {
        const operator = { email: `${name}@exchange.example`, password: 'correct horse battery' }
        operators.push(await createOperator(ctx, operator, 'simulation'))
      }
    },
  ])
  return {
    dice,
    scheduler,
    owner,
    ask: async <Row extends object>(text: string, values: unknown[]) =>
      (await scheduler.hold(() => owner.query<Row>(text, values))).rows,
    workers,
    market,
    partners,
    operators,
    deals: [],
    focus: undefined,
    acknowledged: new Set(),
    silenced: [],
    complaints,
    declined,
    realNow: () => real,
    pass: (ms) => {
      real += ms
    },
    revive: async () => {
      for (const [index, dead] of workers.entries()) {
        if (!dead.wires.isDead()) continue
        await scheduler.run([
          async () => {
            workers[index] = await start()
          },
        ])
      }
    },
    close: async () => {
      for (const worker of workers) await worker.close().catch(() => undefined)
      await scheduler.close()
      await database.drop()
    },
  }
}

/** A log that keeps what processes say of their own failures. */
function listening(complaints: string[], declined: string[]): Log {
  const quiet = () => undefined
  return {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (facts, message) => {
      const { err } = facts as { err?: unknown }
      const said = `${message} ${err instanceof Error ? `${err.message}\n${err.stack ?? ''}` : ''}`
      if (err instanceof Refusal && err.code === 'CONFLICT') declined.push(said)
      else complaints.push(said)
    },
  }
}

/** The operator's own money at each place, booked as capital in the same block: the first, or so much more. */
export async function bringMoney(ctx: Ctx, db: Atomic, worth: bigint, isFirst: boolean): Promise<void> {
  const entries = []
  for (const { place, asset, give } of purses(ctx)) {
    const amount = worthOf(ctx, asset, worth)
    await give(db, amount, isFirst)
    const brought = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
    entries.push(entry(brought, [{ debit: held(place), credit: capital, asset: asset.id, amount }]))
  }
  await post(db, ctx, entries)
}

type Purse = { place: string; asset: Asset; give(db: Atomic, amount: bigint, isFirst: boolean): Promise<unknown> }

function purses({ rails }: Ctx): Purse[] {
  const wallets = chains.flatMap((code): Purse[] => {
    const network = findNetwork(code)
    const rail = rails.forPayout('CRYPTO', code)
    if (!network || !rail) throw new Error(`There is no chain ${code}.`)
    const own = listings.filter((listing) => listing.network.code === code).map(({ asset }) => asset)
    const assets = new Map([nativeAsset(network), ...own].map((asset) => [asset.id, asset]))
    return [...assets.values()].map((asset) => ({
      place: rail.custodyAccount,
      asset,
      give: (db, amount, isFirst) =>
        isFirst
          ? fundWallet(db, network, asset.id, amount)
          : db.sql`
              update sandbox.wallets set balance = balance + ${amount}
              where chain = ${code} and asset = ${asset.id} and address = ${walletOf({ confirmations: {} }, network).address}`,
    }))
  })
  const accounts = fiats.map((ticker): Purse => {
    const asset = listings.find(({ asset: { id } }) => id === `${ticker}-${ticker}`)?.asset
    if (!asset) throw new Error(`There is no currency ${ticker}.`)
    return {
      place: 'bank',
      asset,
      give: (db, amount, isFirst) =>
        isFirst
          ? fundBank(db, asset.id, amount)
          : db.sql`update sandbox.bank_balances set balance = balance + ${amount} where asset = ${asset.id}`,
    }
  })
  return [...wallets, ...accounts]
}

/** About so many euro in an asset, in its smallest unit. */
function worthOf({ market, clock }: Ctx, { ticker, decimals }: Asset, euros: bigint): bigint {
  const rate = rateBetween({ market, now: clock.now(), maxPriceAgeSeconds: 3_600 }, 'EUR', ticker)
  if (!rate) throw new Error(`${ticker} has no price.`)
  return (euros * 10n ** BigInt(decimals) * rate.price.numerator) / rate.price.denominator
}
