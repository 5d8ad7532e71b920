import { checkAddress } from '../../reference/addresses/address.ts'
import type { RailEvent } from '../rail.ts'
import type { Arrival } from './queries.ts'

type Status = 'seen' | 'final' | 'reversed'

const kinds = { seen: 'deposit_seen', final: 'deposit_final', reversed: 'deposit_reversed' } as const

/**
 * The rail's id of a payment: the transfer's hash, the position of a token's log in it, and which inclusion in the chain it is. A
 * transfer that a reorganization drops and another block takes up again is another payment.
 */
const paymentOf = ({ hash, position, inclusion }: Pick<Arrival, 'hash' | 'position' | 'inclusion'>): string =>
  `${hash}${position < 0 ? '' : `:${position}`}${inclusion > 1 ? `#${inclusion}` : ''}`

/** An address in the spelling that customers are shown, which is our reference. */
export function referenceOf(address: string): string {
  const checked = checkAddress('evm', address)
  if (!checked.ok) throw new Error(`${address} is not one of our addresses.`)
  return checked.canonical
}

/** The event about one status of a transfer to us, under its own key. A disputed transfer gets a reference that matches no order. */
export function toRailEvent(arrival: Arrival, status: Status): RailEvent {
  const payment = paymentOf(arrival)
  const reference = referenceOf(arrival.address)
  return {
    key: `${payment}:${status}`,
    kind: kinds[status],
    reference: arrival.is_disputed ? `${reference}?again` : reference,
    payment,
    asset: arrival.asset,
    amount: arrival.amount,
    body: {
      payment,
      status: status.toUpperCase(),
      // Found at an address, at a block: no transfer to it says so.
      ...(arrival.hash.includes('@') ? { arrived_by: 'contract' } : {}),
    },
  }
}

/** The events about a transfer to us so far, in order. */
export function eventsOf(arrival: Arrival): RailEvent[] {
  const statuses: Status[] = ['seen']
  if (arrival.was_final) statuses.push('final')
  if (arrival.state === 'reversed') statuses.push('reversed')
  return statuses.map((status) => toRailEvent(arrival, status))
}
