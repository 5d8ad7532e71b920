import type { RailEvent } from '../rail.ts'
import type { Chain } from './chain.ts'
import type { Arrival } from './queries.ts'

type Status = Arrival['state']

const kinds = { seen: 'deposit_seen', final: 'deposit_final', reversed: 'deposit_reversed' } as const

/** The account with the tag. Without a tag it is no order's reference, so the payment is recorded as unmatched. */
export const referenceOf = (account: string, tag: bigint | null): string =>
  tag === null ? account : `${account}:${tag}`

/** The tag in a reference of ours. */
export function tagIn(account: string, reference: string): bigint | undefined {
  const [, tag] = /^r[1-9A-HJ-NP-Za-km-z]{24,34}:(\d{1,10})$/.exec(reference) ?? []
  return tag !== undefined && reference.startsWith(`${account}:`) ? BigInt(tag) : undefined
}

/** The event about one status of a payment to us, under its own key. */
export const toRailEvent = (
  { account, asset }: Pick<Chain, 'account' | 'asset'>,
  { hash, inclusion, tag, amount, arrivedBy }: Arrival,
  status: Status,
): RailEvent => {
  const payment = inclusion > 1 ? `${hash}#${inclusion}` : hash
  return {
    key: `${payment}:${status}`,
    kind: kinds[status],
    reference: referenceOf(account, tag),
    payment,
    asset,
    amount,
    body: { payment, status: status.toUpperCase(), ...(arrivedBy === null ? {} : { arrived_by: arrivedBy }) },
  }
}

/** The events about a payment to us so far, in order. */
export const eventsOf = (chain: Pick<Chain, 'account' | 'asset'>, arrival: Arrival): RailEvent[] => {
  const statuses: Status[] = arrival.state === 'seen' ? ['seen'] : ['seen', arrival.state]
  return statuses.map((status) => toRailEvent(chain, arrival, status))
}
