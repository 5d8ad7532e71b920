import { readPair } from '../../markets/pair.ts'
import type { PairStatus } from '../../markets/status.ts'
import { haltedMarketActions, marketActions } from '../../exchange/actions/markets.ts'
import { haltedMarkets } from '../../exchange/operations/halt-market.ts'
import { kindNames } from '../../exchange/policies/kinds.ts'
import { policyHistory } from '../../exchange/proposals/proposal.ts'
import { isToCome } from '../../exchange/proposals/proposal-rules.ts'
import { Moment, spaced, Table } from '../pages/table.tsx'
import { actOn, formsOf } from '../pages/actions.tsx'
import { renderPage } from './layout.tsx'
import { group, type Page, type Visit } from './page.ts'
import { policyTitles } from './policy-titles.ts'

/** `/console/prices`: market prices and their sources, and the policies that decide what customers are shown and asked for. */
export const pricesPage: Page = {
  path: '/console/prices',
  needs: 'prices.view',
  show: async (visit) => {
    const { ctx } = visit
    const now = ctx.clock.now()
    const waiting = (await policyHistory(ctx, null)).filter((one) => isToCome(one, now))
    const page = (
      <>
        <section aria-labelledby="policies">
          <h2 id="policies">Policies</h2>
          <Table
            caption="Policies"
            columns={['Policy', 'Decides', 'Version', 'Since', 'To come']}
            empty=""
            rows={kindNames.map((kind) => {
              const { version, effectiveAt } = ctx.policies.at(now, kind)
              return [
                <a href={`/console/prices/${kind}`}>{policyTitles[kind].title}</a>,
                policyTitles[kind].decides,
                String(version),
                effectiveAt.getTime() === 0 ? 'shipped' : <Moment at={effectiveAt} />,
                waiting
                  .filter((one) => one.kind === kind)
                  .map(({ version: next, status }) => `version ${next} is ${status}`)
                  .join(', '),
              ]
            })}
          />
        </section>
        {await marketsOf(visit, ctx.markets.pairs(now))}
      </>
    )
    return { body: renderPage(visit, 'Prices', page) }
  },
  act: actOn([group(marketActions), group(haltedMarketActions)]),
}

const placeOf = ({ state }: PairStatus): number => (state === 'open' ? 1 : 0)
const closedFirst = (pairs: readonly PairStatus[]): PairStatus[] =>
  pairs.toSorted((one, other) => placeOf(one) - placeOf(other))

async function marketsOf(visit: Visit, pairs: readonly PairStatus[]) {
  const halts = await haltedMarkets(visit.ctx)
  const resuming = ({ pair, reason }: (typeof halts)[number]) =>
    formsOf(visit, haltedMarketActions, { pair, reason }, pair)
  const listed = new Set(pairs.map(({ pair }) => readPair(pair)?.name))
  const rows = closedFirst(pairs).map(async ({ pair, state, why, bid, ask, at, sources }) => {
    const halt = halts.find((one) => one.pair === readPair(pair)?.name)
    return [
      pair,
      <>
        {why === null ? spaced(state) : `${spaced(state)}: ${why}`}
        {halt ? await resuming(halt) : null}
      </>,
      bid ?? '',
      ask ?? '',
      at === null ? '' : <Moment at={at} />,
      sources.map((one) => (one.why === null ? one.name : `${one.name} (left out: ${one.why})`)).join(', '),
    ]
  })
  // A pair without a price has no row otherwise.
  const priceless = halts
    .filter(({ pair }) => !listed.has(pair))
    .map(async (halt) => [
      halt.pair,
      <>
        halted: {halt.reason}
        {await resuming(halt)}
      </>,
      '',
      '',
      '',
      '',
    ])
  return (
    <section aria-labelledby="markets">
      <h2 id="markets">Markets</h2>
      <div class="actions">{await formsOf(visit, marketActions, undefined)}</div>
      <Table
        caption="Market prices"
        columns={['Pair', 'State', 'Bid', 'Ask', 'As of', 'Sources']}
        empty="No market has had a price yet."
        rows={await Promise.all([...priceless, ...rows])}
      />
    </section>
  )
}
