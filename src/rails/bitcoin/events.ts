import type { RailEvent } from '../rail.ts'
import type { Coin } from './coins.sql.ts'

type Status = 'seen' | 'final' | 'reversed'

const kinds = { seen: 'deposit_seen', final: 'deposit_final', reversed: 'deposit_reversed' } as const

/**
 * The rail's id of a payment: the transfer's id, the output's number, and which inclusion in the chain it is. An output that comes
 * back after it was reversed is another payment.
 */
const paymentOf = ({ txid, vout, inclusion }: Pick<Coin, 'txid' | 'vout' | 'inclusion'>): string =>
  `${txid}:${vout}${inclusion > 1 ? `#${inclusion}` : ''}`

/** The event about one status of an output, under its own key. A disputed one gets a reference that matches no order. */
export function toRailEvent(coin: Coin, status: Status, asset: string): RailEvent {
  const payment = paymentOf(coin)
  return {
    key: `${payment}:${status}`,
    kind: kinds[status],
    reference: coin.is_disputed ? `${coin.address}?again` : coin.address,
    payment,
    asset,
    amount: coin.amount,
    body: { payment, status: status.toUpperCase() },
  }
}

/** The events about an output so far, in order. */
export function eventsOf(coin: Coin, asset: string): RailEvent[] {
  const statuses: Status[] = ['seen']
  if (coin.was_final) statuses.push('final')
  if (coin.state === 'reversed') statuses.push('reversed')
  return statuses.map((status) => toRailEvent(coin, status, asset))
}
