import type { Gauge, Reading } from '../doors/api/admin.ts'
import type { Ctx } from '../exchange/context.ts'
import { marketMetrics } from './market-metrics.ts'
import { openWitness, type Witness } from '../platform/db/witness.ts'
import type { RailOutcome } from '../rails/health.ts'
import { type Halt, readHalts } from '../rails/halts.ts'
import { requestMetrics } from './request-metrics.ts'
import { treasuryGauges } from './treasury-metrics.ts'
import { countUnderWay } from '../exchange/checks/under-way.ts'
import { needGauges } from './need-metrics.ts'
import { remembered } from './remembered.ts'

/** What operators watch in addition to the process itself; docs/operator/metrics.md explains each. */
export function metricsOf(ctx: Ctx, { refused }: Pick<Witness, 'refused'> = openWitness()): Gauge[] {
  const underWay = remembered(() => countUnderWay(ctx))
  const count = (name: string, help: string, read: () => number | Promise<number>): Gauge => ({
    name,
    help,
    read: async () => [{ labels: [], value: await read() }],
  })

  return [
    ...needGauges(ctx),
    {
      name: 'transactions_open',
      help: 'Transactions that have not ended, by status.',
      labels: ['status'],
      read: async () => [...(await underWay()).transactions].map(([status, value]) => ({ labels: [status], value })),
    },
    count('jobs', 'Jobs that are to be done, now or later.', async () => (await underWay()).jobs),
    count('jobs_failed', 'Jobs whose last attempt failed.', async () => (await underWay()).jobs_failed),
    count('webhooks_undelivered', 'Webhooks that are not delivered yet.', async () => (await underWay()).undelivered),
    count('deposits_in_suspense', 'Deposits without a known owner.', async () => (await underWay()).suspense),
    count(
      'rails_halted',
      'Rails on which nothing is credited, by themselves or by an operator.',
      async () => (await underWay()).halted,
    ),
    {
      name: 'halts',
      help: 'What operators have halted, by scope.',
      labels: ['scope'],
      read: async () => haltedScopes(await readHalts(ctx.db)),
    },
    {
      name: 'rail_up',
      help: 'Whether a rail takes new payments, as far as this process has seen: 1 or 0.',
      labels: ['rail'],
      read: async () =>
        ctx.rails.all.map(({ name }) => ({ labels: [name], value: ctx.rails.health.isUp(name) ? 1 : 0 })),
    },
    {
      name: 'rail_payments',
      help: 'What this process has seen of payments since its start, by rail and outcome.',
      labels: ['rail', 'outcome'],
      read: async () => ctx.rails.all.flatMap(({ name }) => outcomesOf(name, ctx.rails.health.of(name).counts)),
    },
    ...requestMetrics(ctx),
    ...marketMetrics(ctx),
    count('business_time_ahead_seconds', 'How far business time is ahead of real time.', () =>
      Math.round(ctx.clock.offsetMs() / 1_000),
    ),
    count('database_writes', 'Whether the database takes writes of this process: 1 or 0.', () =>
      ctx.heartbeat.writes() === 'ok' ? 1 : 0,
    ),
    count(
      'clock_skew_seconds',
      "How far the database's clock is ahead of this machine's.",
      () => ctx.heartbeat.skewMs() / 1_000,
    ),
    count('database_hosts_refused', 'Connections to an old primary that were refused since the start.', refused),
    ...treasuryGauges(ctx),
  ]
}

const outcomesOf = (rail: string, counts: Readonly<Record<RailOutcome, number>>): Reading[] =>
  Object.entries(counts).map(([outcome, value]) => ({ labels: [rail, outcome], value }))

/** A value for every scope that operators can halt. */
const haltedScopes = (halts: readonly Halt[]): Reading[] =>
  (['all', 'payouts', 'rail', 'asset', 'restored'] as const).map((scope) => ({
    labels: [scope],
    value: halts.filter((one) => one.scope === scope).length,
  }))
