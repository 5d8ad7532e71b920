import { createHmac } from 'node:crypto'

import { randomId } from '../../src/platform/lib/ids.ts'
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

/** What the processor says when exactly the agreed 100 EUR of a transaction were captured: each event of its own payment. */
export const captured = (reference: string, change: Partial<Said> = {}): Said => ({
  event: 'pay_1_1',
  payment: `pay of ${change.event ?? 'pay_1_1'}`,
  status: 'CAPTURED',
  merchant_reference: reference,
  asset: 'EUR-EUR',
  amount: '10000',
  ...change,
})

/**
 * Calls the exchange as the processor does, signed with its key if no other signature is given. What it says so and is taken, it
 * means: it has the money that it speaks of.
 */
export async function callBack(exchange: Exchange, said: Said | string, signature?: string): Promise<Answer> {
  const body = typeof said === 'string' ? said : JSON.stringify(said)
  const { processor } = exchange.world.secrets
  const answer = await exchange.api('/callbacks/sandbox-card', {
    key: null,
    method: 'POST',
    body,
    headers: {
      'x-processor-signature':
        signature ?? createHmac('sha256', processor).update(`sandbox-card\n${body}`).digest('hex'),
    },
  })
  if (answer.status === 200 && typeof said !== 'string') await keepAtProcessor(exchange, said)
  return answer
}

const states: ReadonlyMap<string, string> = new Map([
  ['CAPTURED', 'captured'],
  ['CHARGED_BACK', 'charged_back'],
])

/** Lets the processor have the money that it speaks of, once for each payment; or no longer. */
export async function keepAtProcessor(
  { service }: Exchange,
  { payment, status, merchant_reference: reference, asset, amount }: Omit<Said, 'event'>,
): Promise<void> {
  const state = states.get(status)
  if (state === undefined || !/^[1-9]\d*$/.test(amount)) return
  const { db, clock } = service.composition.ctx
  await db.sql`
    insert into sandbox.card_payments as known (id, rail, reference, asset, amount, merchant_return, state, created_at)
    values (${randomId()}, 'sandbox-card', ${`${reference} ${payment}`}, ${asset}, ${amount}::numeric, '', ${state},
      ${clock.realNow()})
    on conflict (reference) do update
      set state = case known.state when 'charged_back' then known.state else excluded.state end`
}
