import type { Db } from '../../../db/sql.ts'

/** How a payment at a page stands. */
export type PaymentState = 'open' | 'challenge' | 'captured' | 'declined' | 'voided' | 'charged_back'

/** What one attempt to pay comes to. */
export type AttemptRow = {
  id: bigint
  rail: string
  reference: string
  asset: string
  amount: bigint
  merchantReturn: string
  state: PaymentState
  at: Date
}

/** A payment as whoever runs the page knows it. */
export type PaymentRow = {
  id: bigint
  rail: string
  reference: string
  state: PaymentState
  attempts: number
  asset: string
  amount: bigint
}

/**
 * Writes attempts down. A payment that was captured stays captured: whoever pays twice, pays once. Gives what changed.
 */
export const writeAttempts = (db: Db, rows: AttemptRow[]): Promise<PaymentRow[]> =>
  db.sql`
    insert into sandbox.card_payments as payment
      (id, rail, reference, asset, amount, merchant_return, state, attempts, created_at)
    select id, rail, reference, asset, amount, merchant_return, state, 1, at from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.rail)}::text[],
      ${rows.map((row) => row.reference)}::text[], ${rows.map((row) => row.asset)}::text[],
      ${rows.map((row) => row.amount)}::numeric[], ${rows.map((row) => row.merchantReturn)}::text[],
      ${rows.map((row) => row.state)}::text[], ${rows.map((row) => row.at.toISOString())}::timestamptz[]
    ) as attempt (id, rail, reference, asset, amount, merchant_return, state, at)
    on conflict (reference) do update
      set state = excluded.state, attempts = payment.attempts + 1, amount = excluded.amount, asset = excluded.asset
      where payment.state in ('open', 'challenge', 'declined')
    returning id, rail, reference, state, attempts, asset, amount`

/** How a payment stands; nothing if nobody has tried yet. */
export const payment = (db: Db, reference: string): Promise<PaymentRow[]> =>
  db.sql`
    select id, rail, reference, state, attempts, asset, amount from sandbox.card_payments where reference = ${reference}`

/** What was captured and not taken back, by asset. */
export const capturedSums = (db: Db, rail: string, assets: string[]): Promise<{ asset: string; amount: bigint }[]> =>
  db.sql`
    select asset, sum(amount)::numeric(38, 0) as amount from sandbox.card_payments
    where rail = ${rail} and state = 'captured' and asset = any(${assets}) group by asset`

/** Takes a captured payment back from the merchant, and gives it; nothing if there is none. */
export const chargeBack = (db: Db, rail: string, reference: string): Promise<PaymentRow[]> =>
  db.sql`
    update sandbox.card_payments set state = 'charged_back', attempts = attempts + 1
    where rail = ${rail} and reference = ${reference} and state = 'captured'
    returning id, rail, reference, state, attempts, asset, amount`
