import { formatAmount } from '../../../src/platform/money/amount.ts'
import { exactOf } from '../../../src/exchange/treasury/decimals.ts'

/**
 * How a venue treats an order. `lost`: it takes the order, and the answer does not arrive. `never_arrived`: neither does the order.
 * `twice`: the network delivers it twice, and only the second answer, a refusal of a copy, arrives. `slow`: it is filled in parts, as
 * often as the venue is asked. `hidden`: it is filled, and shown only when it is asked for the fourth time. `half`: half of it is
 * filled, the rest is canceled. `late_trades`: it is filled, and its last trade is shown later.
 */
export type Behavior =
  | 'fill'
  | 'reject'
  | 'lost'
  | 'never_arrived'
  | 'twice'
  | 'slow'
  | 'hidden'
  | 'half'
  | 'nothing'
  | 'late_trades'

/** An order as a venue gets it. */
export type ReceivedOrder = { clientOrderId: string; pair: string; side: string; amount: string; price: string }

export type VenueTrade = {
  id: string
  orderId: string
  amount: string
  cost: string
  fee: { ticker: string; amount: string }
  at: Date
}

export type KeptOrder = ReceivedOrder & {
  id: string
  behavior: Behavior
  filled: bigint
  isOpen: boolean
  asked: number
  trades: VenueTrade[]
  at: Date
}

/** A venue's own records. */
export type VenueCore = {
  orders: Map<string, KeptOrder>
  /** The client id of every order that arrived, copies that a network made left out. */
  received: string[]
  /** What the next orders meet. */
  next: Behavior[]
  /** What they meet when `next` is empty. */
  usual: () => Behavior
  place(
    order: ReceivedOrder,
  ): { reply: 'accepted'; id: string } | { reply: 'refused'; reason: string } | { reply: 'none' }
  /** The order as the venue shows it at this question, after it has worked on it. */
  shown(order: KeptOrder): KeptOrder | undefined
  /** What it traded for us so far, by ticker, fees included; negative is paid. */
  balances: Map<string, bigint>
}

const decimals = 18
const unit = 10n ** 18n
/** Venues trade bitcoin in satoshi. */
const smallest = 10n ** 10n
const feePerThousand = 2n

/** Opens a venue that trades at our limit. Trades are at the limit; a fee of two per thousand is taken in the quote. */
export function openVenueCore(): VenueCore {
  const core: VenueCore = {
    orders: new Map(),
    received: [],
    next: [],
    usual: () => 'fill',
    balances: new Map(),
    place: (order) => {
      const behavior = core.next.shift() ?? core.usual()
      if (behavior === 'never_arrived') return { reply: 'none' }
      core.received.push(order.clientOrderId)
      if (behavior === 'reject') return { reply: 'refused', reason: 'EOrder:Insufficient funds' }
      const id = `O${String(core.orders.size + 1).padStart(5, '0')}-ABCDE-FGHIJK`
      const kept = { ...order, id, behavior, filled: 0n, isOpen: true, asked: 0, trades: [], at: new Date() }
      core.orders.set(id, kept)
      if (behavior === 'nothing') kept.isOpen = false
      else if (behavior === 'half') end(kept, exactOf(order.amount) / 2n)
      else if (behavior === 'late_trades') inParts(kept, 2n)
      else if (behavior !== 'slow') end(kept, exactOf(order.amount))
      if (behavior === 'lost' || behavior === 'hidden') return { reply: 'none' }
      if (behavior === 'twice') return { reply: 'refused', reason: 'EOrder:Duplicate client order id' }
      return { reply: 'accepted', id }
    },
    shown: (order) => {
      order.asked += 1
      const { behavior, asked } = order
      if (behavior === 'slow' && order.isOpen) {
        trade(order, exactOf(order.amount) / 3n)
        if (asked >= 3) end(order, exactOf(order.amount))
      }
      return behavior === 'hidden' && asked < 4 ? undefined : order
    },
  }

  function inParts(order: KeptOrder, parts: bigint): void {
    trade(order, exactOf(order.amount) / parts)
    end(order, exactOf(order.amount))
  }

  function end(order: KeptOrder, filled: bigint): void {
    if (filled > order.filled) trade(order, filled - order.filled)
    order.isOpen = false
  }

  function trade(order: KeptOrder, wanted: bigint): void {
    const amount = wanted - (wanted % smallest)
    const cost = (amount * exactOf(order.price)) / unit
    const fee = (cost * feePerThousand) / 1_000n
    const [base = '', quote = ''] = order.pair.split('/')
    order.filled += amount
    order.trades.push({
      id: `T${order.id}-${order.trades.length + 1}`,
      orderId: order.id,
      amount: formatAmount(amount, { decimals }),
      cost: formatAmount(cost, { decimals }),
      fee: { ticker: quote, amount: formatAmount(fee, { decimals }) },
      at: new Date(),
    })
    const sign = order.side === 'buy' ? 1n : -1n
    add(base, sign * amount)
    add(quote, -sign * cost - fee)
  }

  const add = (ticker: string, amount: bigint): void => {
    core.balances.set(ticker, (core.balances.get(ticker) ?? 0n) + amount)
  }
  return core
}

/** The trades that a venue shows of an order: a late one only from the third question on. */
export const shownTrades = ({ behavior, asked, trades }: KeptOrder): VenueTrade[] =>
  behavior === 'late_trades' && asked < 3 ? trades.slice(0, 1) : trades
