import type { Gauge } from '../doors/api/admin.ts'
import type { Ctx } from '../exchange/context.ts'

/** What is wrong with prices: as this process knows it. */
export function marketMetrics({ markets, clock }: Pick<Ctx, 'markets' | 'clock'>): Gauge[] {
  const pairs = () => markets.pairs(clock.now())
  return [
    {
      name: 'market_source_up',
      help: 'Whether a price source has a readable price that is young enough.',
      labels: ['source'],
      read: () => markets.sources(clock.now()).map(({ name, isUp }) => ({ labels: [name], value: isUp ? 1 : 0 })),
    },
    {
      name: 'market_source_deviation_ratio',
      help: 'How far the middle of a source is from the price of its pair: 0.05 for five percent.',
      labels: ['source', 'pair'],
      read: () =>
        pairs().flatMap(({ pair, sources }) =>
          sources.flatMap(({ name, deviation }) =>
            deviation === null ? [] : [{ labels: [name, pair], value: deviation }],
          ),
        ),
    },
    {
      name: 'market_pairs',
      help: 'Market pairs, by state.',
      labels: ['state'],
      read: () => {
        const all = pairs()
        return ['open', 'stale', 'halted'].map((state) => ({
          labels: [state],
          value: all.filter((one) => one.state === state).length,
        }))
      },
    },
  ]
}
