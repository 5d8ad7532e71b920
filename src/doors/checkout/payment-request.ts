import { foreignSentence } from '../../reference/addresses/foreign-text.ts'
import { readPaymentUri } from '../../reference/addresses/read-payment-uri.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Fields } from './checkout-step.ts'
import { checkoutSteps } from './steps.ts'
import type { Visit } from './visit.ts'

/**
 * Reads a wallet's payment request that was pasted as the address, and fills in address and memo from it. Refuses a request for another
 * coin or network, or with another memo than the one that was typed.
 */
export function readRequest(visit: Visit, fields: Fields): Fields {
  const asked = fields.do === visit.step ? checkoutSteps[visit.step].addressField?.(visit) : undefined
  const { chain, contract } = asked?.listing.network ?? {}
  if (!asked || !chain || contract === undefined) return fields

  const { family, caip2 } = chain
  const read = readPaymentUri({ family, caip2, contract }, fields[asked.field] ?? '')
  if (!read) return fields
  if (!read.ok) {
    const isRefund = asked.field === 'refund_address'
    const foreign = foreignSentence(family, asked.listing.currency.name, fields[asked.field] ?? '', isRefund)
    throw badField(asked.field, foreign ?? refused[read.asksFor], 'INVALID_ADDRESS')
  }
  const extraId = (fields.extra_id ?? '').trim()
  if (read.extraId !== '' && extraId !== '' && read.extraId !== extraId)
    throw badField('extra_id', `The payment request names another ${chain.memo?.name ?? 'memo'}.`)
  return { ...fields, [asked.field]: read.address, extra_id: read.extraId || extraId }
}

const refused = {
  network: 'This is a payment request for another network.',
  coin: 'This is a payment request for another coin.',
  'two memos': 'This payment request names two memos: copy the address and the memo that you mean.',
} as const
