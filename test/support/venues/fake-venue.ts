import type { TestContext } from 'node:test'

import type { FoundOrder, TradingVenue, VenueFill } from '../../../src/markets/trading-venue.ts'
import { formatAmount } from '../../../src/platform/money/amount.ts'
import { type JsonServer, startJsonServer } from '../json-server.ts'
import { openVenueCore, type ReceivedOrder, shownTrades, type VenueCore } from './venue-core.ts'

/** A venue on this machine, and a client that speaks its interface. */
export type FakeVenue = { venue: TradingVenue; core: VenueCore; server: JsonServer }

/** Starts a venue with a small interface. What gets no reply has its connection cut. */
export async function startFakeVenue(t: Pick<TestContext, 'after'>, name: string): Promise<FakeVenue> {
  const core = openVenueCore()
  const server = await startJsonServer(t, ({ method, url, body }) => {
    if (method === 'POST') {
      const placed = core.place(JSON.parse(body) as ReceivedOrder)
      return placed.reply === 'none' ? 'cut' : { json: placed }
    }
    const client = url.searchParams.get('client_order_id')
    const order = [...core.orders.values()].find(({ clientOrderId }) => clientOrderId === client)
    if (url.pathname === '/fills') return { json: order ? shownTrades(order) : [] }
    const shown = order && core.shown(order)
    return {
      json: shown
        ? { id: shown.id, isOpen: shown.isOpen, filled: formatAmount(shown.filled, { decimals: 18 }) }
        : { id: null },
    }
  })
  return { venue: clientOf(name, server), core, server }
}

const clientOf = (name: string, server: JsonServer): TradingVenue => ({
  name,
  place: async ({ clientOrderId, pair, side, amount, limitPrice }) => {
    const body = JSON.stringify({ clientOrderId, pair, side, amount, price: limitPrice })
    const answer = await fetch(`${server.url}/orders`, { method: 'POST', body })
    const placed = (await answer.json()) as { reply: string; id: string; reason: string }
    return placed.reply === 'accepted'
      ? { state: 'accepted', venueOrderId: placed.id }
      : { state: 'refused', reason: placed.reason }
  },
  find: async ({ clientOrderId }) => {
    const answer = await fetch(`${server.url}/orders?client_order_id=${clientOrderId}`)
    const found = (await answer.json()) as { id: string | null } & Omit<FoundOrder, 'venueOrderId'>
    return found.id === null ? undefined : { venueOrderId: found.id, isOpen: found.isOpen, filled: found.filled }
  },
  fills: async ({ clientOrderId }) => {
    const answer = await fetch(`${server.url}/fills?client_order_id=${clientOrderId}`)
    const trades = (await answer.json()) as {
      id: string
      amount: string
      cost: string
      fee: VenueFill['fees'][number]
      at: string
    }[]
    return trades.map(({ id, amount, cost, fee, at }) => ({ id, amount, cost, fees: [fee], at: new Date(at) }))
  },
})
