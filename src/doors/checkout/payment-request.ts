import { readPaymentUri } from '../../reference/addresses/read-payment-uri.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Typed } from './act.ts'
import { listed } from './refunded-asset.ts'
import type { Visit } from './visit.ts'

/**
 * What was typed, with what a wallet's payment request says in the fields of address and memo: it may be pasted where the address is
 * asked for. Refuses a request for another coin or network, and one whose memo is another than the one that was typed.
 */
export function readRequest(visit: Visit, typed: Typed): Typed {
  const asked = askedFor(visit, typed)
  const { chain, contract } = asked?.listing.network ?? {}
  if (!asked || !chain || contract === undefined) return typed

  const { family, caip2 } = chain
  const read = readPaymentUri({ family, caip2, contract }, typed[asked.field] ?? '')
  if (!read) return typed
  if (!read.ok) throw badField(asked.field, refused[read.asksFor], 'INVALID_ADDRESS')
  const extraId = (typed.extra_id ?? '').trim()
  if (read.extraId !== '' && extraId !== '' && read.extraId !== extraId)
    throw badField('extra_id', `The payment request names another ${chain.memo?.name ?? 'memo'}.`)
  return { ...typed, [asked.field]: read.address, extra_id: read.extraId || extraId }
}

const refused = {
  network: 'This is a payment request of another network.',
  coin: 'This is a payment request for another coin.',
} as const

/** The field that takes an address of a chain on this page, and whose coins go there. */
function askedFor({ step, view, choices }: Visit, typed: Typed): { field: string; listing: Listing } | undefined {
  if (typed.do !== step) return undefined
  if (step === 'payout_address') return { field: step, listing: view.to }
  const { refund_address: refund } = choices
  return step === 'refund_address' && refund ? { field: step, listing: listed(refund.asset) } : undefined
}
