import { createHmac } from 'node:crypto'

import type { Answer, Exchange } from './exchange.ts'
import { lookup } from './journey.ts'

/** What the card processor says of a payment, in its own words. `amount` is in smallest units. */
export type Said = {
  event: string
  payment: string
  status: string
  merchant_reference: string
  asset: string
  amount: string
}

/** The reference under which a transaction's customer was told to pay. */
export async function referenceOf(exchange: Exchange, id: string): Promise<string> {
  const rows = await lookup<{ reference: string }>(
    exchange,
    'select reference from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1',
    [id],
  )
  const [row] = rows
  if (!row || rows.length > 1) throw new Error(`There are ${rows.length} instructions for ${id}.`)
  return row.reference
}

/** What the processor says when exactly the agreed 100 EUR of a transaction were captured. */
export const captured = (reference: string, change: Partial<Said> = {}): Said => ({
  event: 'pay_1_1',
  payment: 'pay_1',
  status: 'CAPTURED',
  merchant_reference: reference,
  asset: 'EUR-EUR',
  amount: '10000',
  ...change,
})

/** Calls the exchange as the processor does, signed with its key if no other signature is given. */
export async function callBack(exchange: Exchange, said: Said | string, signature?: string): Promise<Answer> {
  const body = typeof said === 'string' ? said : JSON.stringify(said)
  const { processor } = exchange.service.house.ctx.secrets
  return exchange.api('/callbacks/sandbox-card', {
    key: null,
    method: 'POST',
    body,
    headers: { 'x-processor-signature': signature ?? createHmac('sha256', processor).update(body).digest('hex') },
  })
}
