import type { FoundOrder, SentOrder, TradingVenue, VenueFill, VenueOrder } from '../trading-venue.ts'
import { readDecimal } from '../decimal.ts'
import { type VenueCalls, VenueError } from './process.ts'

/** The clock of an exchange may be behind ours by this much, in milliseconds. */
const skewMs = 60_000

/** Trading at an exchange of ccxt. Its answers are checked field by field; one that lacks something is no answer. */
export function tradingVenue(name: string, { call }: VenueCalls): TradingVenue {
  const sinceOf = ({ sentAt }: SentOrder): number => sentAt.getTime() - skewMs

  async function listed(
    method: 'fetchOpenOrders' | 'fetchClosedOrders',
    order: VenueOrder & SentOrder,
  ): Promise<Fields[]> {
    const found = listOf(await call(method, order.pair, sinceOf(order)))
    return found.filter(({ clientOrderId }) => clientOrderId === order.clientOrderId)
  }

  return {
    name,
    place: async ({ clientOrderId, pair, side, amount, limitPrice }) => {
      try {
        const params = { clientOrderId, timeInForce: 'IOC' }
        const placed = fieldsOf(await call('createOrder', pair, 'limit', side, amount, limitPrice, params))
        return { state: 'accepted', venueOrderId: textOf(placed, 'id') }
      } catch (error) {
        if (error instanceof VenueError && error.isRefusal) return { state: 'refused', reason: reasonIn(error.message) }
        throw error
      }
    },
    find: async (order) => {
      if (order.venueOrderId !== undefined) {
        try {
          return foundOrder(fieldsOf(await call('fetchOrder', order.venueOrderId, order.pair)))
        } catch (error) {
          if (error instanceof VenueError && error.classes.includes('OrderNotFound')) return undefined
          throw error
        }
      }
      // Open ones first: an order that ends between the two questions is in the second list.
      const [first] = [
        ...(await listed('fetchOpenOrders', order)),
        ...(await listed('fetchClosedOrders', order)),
      ].slice(-1)
      return first && foundOrder(first)
    },
    fills: async (order) => {
      const trades = listOf(await call('fetchMyTrades', order.pair, sinceOf(order)))
      return trades.filter((trade) => trade.order === order.venueOrderId).map(fillOf)
    },
  }
}

/** What an exchange said, without its name and the JSON around it: `EOrder:Insufficient funds`. */
function reasonIn(message: string): string {
  const [, json] = /^\S+ (\{.*\})$/s.exec(message) ?? []
  const texts = json?.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g) ?? []
  return (
    [...texts]
      .filter(([, , colon]) => colon === undefined)
      .map(([, text]) => text)
      .join(', ') || message
  )
}

type Fields = Record<string, unknown>

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null)
    throw new Error('The exchange answered something else than an object.')
  return value as Fields
}

function listOf(value: unknown): Fields[] {
  if (!Array.isArray(value)) throw new Error('The exchange answered something else than a list.')
  return value.map(fieldsOf)
}

function textOf(fields: Fields, name: string): string {
  const text = fields[name]
  if (typeof text !== 'string' || text === '') throw new Error(`The exchange answered without ${name}.`)
  return text
}

function decimalOf(fields: Fields, name: string): string {
  const text = readDecimal(fields[name])
  if (text === undefined) throw new Error(`The exchange answered without a number in ${name}.`)
  return text
}

/** Every status that ccxt knows but `open` is an end. */
const endings = ['closed', 'canceled', 'expired', 'rejected']

function foundOrder(order: Fields): FoundOrder {
  const status = textOf(order, 'status')
  if (status !== 'open' && !endings.includes(status)) throw new Error(`The exchange answered the status ${status}.`)
  return { venueOrderId: textOf(order, 'id'), isOpen: status === 'open', filled: decimalOf(order, 'filled') }
}

function fillOf(trade: Fields): VenueFill {
  const several: unknown[] = Array.isArray(trade.fees) && trade.fees.length > 0 ? trade.fees : [trade.fee]
  const fees = several.filter(isFee)
  return {
    id: textOf(trade, 'id'),
    amount: decimalOf(trade, 'amount'),
    cost: decimalOf(trade, 'cost'),
    fees: fees.map((fee) => ({ ticker: textOf(fee, 'currency'), amount: signedDecimalOf(fee) })),
    at: new Date(typeof trade.timestamp === 'number' ? trade.timestamp : NaN),
  }
}

const isFee = (fee: unknown): fee is Fields =>
  typeof fee === 'object' && fee !== null && 'cost' in fee && fee.cost !== undefined

/** A negative fee is a rebate. */
function signedDecimalOf({ cost }: Fields): string {
  const text = typeof cost === 'string' ? cost : ''
  const isRebate = text.startsWith('-')
  return `${isRebate ? '-' : ''}${decimalOf({ cost: isRebate ? text.slice(1) : cost }, 'cost')}`
}
