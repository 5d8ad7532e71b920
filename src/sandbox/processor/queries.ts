import type { Atomic, Db } from '../../platform/db/sql.ts'

/** The state of a payment at a page. */
export type PaymentState = 'open' | 'challenge' | 'captured' | 'declined' | 'voided' | 'charged_back'

/** A part of a card that can be found wrong: the address, or the security code. */
export type Mismatch = 'avs' | 'cvc'

/** What one attempt to pay comes to. */
export type AttemptRow = {
  id: bigint
  rail: string
  reference: string
  asset: string
  amount: bigint
  merchantReturn: string
  state: PaymentState
  /** The card, where the payer gave a name. */
  fingerprint: string | null
  /** What the card's bank finds wrong and takes the payment all the same. */
  mismatch: Mismatch | null
  at: Date
}

/** A payment as the page's owner knows it. */
export type PaymentRow = {
  id: bigint
  rail: string
  reference: string
  state: PaymentState
  attempts: number
  asset: string
  amount: bigint
  fingerprint: string | null
  mismatch: Mismatch | null
}

/** A payment with its dispute, if there was one. */
export type DisputedRow = PaymentRow & { dispute: 'open' | 'won' | 'lost' | null; respond_by: Date | null }

/**
 * Stores attempts. A captured payment stays captured: paying twice pays once. Gives what changed.
 */
export const writeAttempts = (db: Db, rows: AttemptRow[]): Promise<PaymentRow[]> =>
  db.sql`
    insert into sandbox.card_payments as payment
      (id, rail, reference, asset, amount, merchant_return, state, fingerprint, mismatch, attempts, created_at)
    select id, rail, reference, asset, amount, merchant_return, state, fingerprint, mismatch, 1, at from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.rail)}::text[],
      ${rows.map((row) => row.reference)}::text[], ${rows.map((row) => row.asset)}::text[],
      ${rows.map((row) => row.amount)}::numeric[], ${rows.map((row) => row.merchantReturn)}::text[],
      ${rows.map((row) => row.state)}::text[], ${rows.map((row) => row.fingerprint)}::text[],
      ${rows.map((row) => row.mismatch)}::text[],
      ${rows.map((row) => row.at.toISOString())}::timestamptz[]
    ) as attempt (id, rail, reference, asset, amount, merchant_return, state, fingerprint, mismatch, at)
    on conflict (reference) do update
      set state = excluded.state, attempts = payment.attempts + 1, amount = excluded.amount, asset = excluded.asset,
        fingerprint = coalesce(excluded.fingerprint, payment.fingerprint), mismatch = excluded.mismatch
      where payment.state in ('open', 'challenge', 'declined')
    returning id, rail, reference, state, attempts, asset, amount, fingerprint, mismatch`

/** A payment with its dispute; nothing if nobody has tried to pay yet. */
export const payment = (db: Db, reference: string): Promise<DisputedRow[]> =>
  db.sql`
    select id, rail, reference, payment.state, attempts, asset, amount, fingerprint, mismatch, dispute.state as dispute, respond_by
    from sandbox.card_payments as payment left join sandbox.disputes as dispute on payment_id = id
    where reference = ${reference}`

/** Opens the one dispute of a captured payment, and withdraws all of it. Gives nothing if that cannot be. */
export const openDispute = (
  db: Db,
  { rail, reference, respondBy }: { rail: string; reference: string; respondBy: Date },
): Promise<DisputedRow[]> =>
  db.sql`
    with payment as (
      update sandbox.card_payments set refunded = amount
      where rail = ${rail} and reference = ${reference} and state = 'captured' and refunded = 0
        and not exists (select 1 from sandbox.disputes where payment_id = id)
      returning *),
    opened as (
      insert into sandbox.disputes (payment_id, state, respond_by) select id, 'open', ${respondBy} from payment
      returning payment_id, state, respond_by)
    select id, rail, reference, payment.state, attempts, asset, amount, fingerprint, mismatch, opened.state as dispute, respond_by
    from payment join opened on payment_id = id`

/** Ends an open dispute; a won one gives the money back. Gives nothing if no dispute is open. */
export const closeDispute = (
  db: Db,
  { rail, reference, state }: { rail: string; reference: string; state: 'won' | 'lost' },
): Promise<DisputedRow[]> =>
  db.sql`
    with closed as (
      update sandbox.disputes as dispute set state = ${state}
      from sandbox.card_payments as payment
      where payment.id = payment_id and rail = ${rail} and reference = ${reference} and dispute.state = 'open'
      returning payment_id, dispute.state, respond_by)
    update sandbox.card_payments as payment set refunded = case closed.state when 'won' then 0 else refunded end
    from closed where id = payment_id
    returning id, rail, reference, payment.state, attempts, asset, amount, fingerprint, mismatch, closed.state as dispute, respond_by`

/** A payment that was captured at one owner's page, by its id. */
export const paymentById = (db: Db, rail: string, id: bigint): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from sandbox.card_payments
    where rail = ${rail} and id = ${id} and state in ('captured', 'charged_back')`

/** What was captured and neither taken back nor given back, by asset. */
export const capturedSums = (db: Db, rail: string, assets: string[]): Promise<{ asset: string; amount: bigint }[]> =>
  db.sql`
    select asset, sum(amount - refunded)::numeric(38, 0) as amount from sandbox.card_payments
    where rail = ${rail} and state = 'captured' and asset = any(${assets}) group by asset`

/** Charges a captured payment back. Gives it, or nothing if it was not captured or any of it was refunded. */
export const chargeBack = (db: Db, rail: string, reference: string): Promise<PaymentRow[]> =>
  db.sql`
    update sandbox.card_payments set state = 'charged_back', attempts = attempts + 1
    where rail = ${rail} and reference = ${reference} and state = 'captured' and refunded = 0
    returning id, rail, reference, state, attempts, asset, amount, fingerprint, mismatch`

/** A refund that a merchant asks for. `interim` is its status until it settles. */
export type RefundOrderRow = {
  rail: string
  planKey: string
  paymentId: bigint
  asset: string
  amount: bigint
  interim: string
  settlesAt: Date
}

/** A refund as the page's owner knows it. */
export type RefundRow = {
  id: bigint
  plan_key: string
  asset: string
  amount: bigint
  state: 'taken' | 'refused' | 'returned'
  interim: string
  settles_at: Date
}

/** Writes a refund down, as taken. Gives nothing if its plan was asked for before. */
export const insertRefund = (
  db: Db,
  { rail, planKey, paymentId, asset, amount, interim, settlesAt }: RefundOrderRow,
): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into sandbox.page_refunds (rail, plan_key, payment_id, asset, amount, state, word, settles_at)
    values (${rail}, ${planKey}, ${paymentId}, ${asset}, ${amount}, 'taken', ${interim}, ${settlesAt})
    on conflict (plan_key) do nothing returning id`

/** Takes a refund out of its captured payment. Gives nothing if less than that is left of it. */
export const giveBack = (
  db: Db,
  { rail, paymentId, asset, amount }: Pick<RefundOrderRow, 'rail' | 'paymentId' | 'asset' | 'amount'>,
): Promise<{ id: bigint }[]> =>
  db.sql`
    update sandbox.card_payments set refunded = refunded + ${amount}::numeric
    where rail = ${rail} and id = ${paymentId} and asset = ${asset} and state = 'captured'
      and refunded + ${amount}::numeric <= amount
    returning id`

/** Marks a refund as refused. */
export const refuseRefund = (db: Atomic, planKey: string): void =>
  db.send`update sandbox.page_refunds set state = 'refused' where plan_key = ${planKey}`

/** What is known of a plan's refund. */
export const refund = (db: Db, rail: string, planKey: string): Promise<RefundRow[]> =>
  db.sql`
    select id, plan_key, asset, amount, state, word as interim, settles_at from sandbox.page_refunds
    where rail = ${rail} and plan_key = ${planKey}`

/** Puts a refund that has settled back into its payment, once, and gives it, or nothing. */
export const returnRefund = (
  db: Db,
  { rail, planKey, at }: { rail: string; planKey: string; at: Date },
): Promise<RefundRow[]> =>
  db.sql`
    with returned as (
      update sandbox.page_refunds set state = 'returned'
      where rail = ${rail} and plan_key = ${planKey} and state = 'taken' and settles_at <= ${at}
      returning *),
    put_back as (
      update sandbox.card_payments as payment set refunded = refunded - returned.amount
      from returned where payment.id = returned.payment_id)
    select id, plan_key, asset, amount, state, word as interim, settles_at from returned`

/** One booking on a page's owner's account, as its statement has it. */
export type BookingRow = { payment_id: bigint; plan_key: string | null; asset: string; amount: bigint; at: Date }

/** Payments captured since a real time, chargebacks and disputes of them, and refunds. */
export const bookings = (db: Db, rail: string, since: Date): Promise<BookingRow[]> =>
  db.sql`
    with payments as (
      select payment.id, asset, amount, payment.state, created_at, dispute.state as dispute
      from sandbox.card_payments as payment left join sandbox.disputes as dispute on payment_id = id
      where rail = ${rail} and created_at >= ${since} and payment.state in ('captured', 'charged_back'))
    select id as payment_id, null as plan_key, asset, amount, created_at as at from payments
    union all
    select id, null, asset, -amount, created_at from payments where state = 'charged_back' or dispute in ('open', 'lost')
    union all
    select payment_id, plan_key, asset, -amount, settles_at from sandbox.page_refunds
    where rail = ${rail} and settles_at >= ${since} and state in ('taken', 'returned')
    union all
    select payment_id, plan_key, asset, amount, settles_at from sandbox.page_refunds
    where rail = ${rail} and settles_at >= ${since} and state = 'returned'`
