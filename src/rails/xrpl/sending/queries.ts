import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { OwnTransaction } from '../ledger.ts'

/** A payout that is to be paid. `amount` is in drops. */
export type Payment = {
  id: bigint
  plan_key: string
  recipient: string
  tag: bigint | null
  amount: bigint
  stamp: Buffer | null
}

/** A payout without a number. `was_signed`: the signer has signed another transfer for it, as the signer has said. */
export type WaitingPayment = Payment & { was_signed: boolean }

/** Stores a payout that was submitted, once. */
export const insertPayment = (
  db: Db,
  network: string,
  payment: { key: string; recipient: string; tag: bigint | null; amount: bigint; stamp: Buffer },
): Promise<unknown[]> => {
  const { key, recipient, tag, amount, stamp } = payment
  return db.sql`
    insert into xrpl_payments as known (network, plan_key, recipient, tag, amount, stamp)
    values (${network}, ${key}, ${recipient}, ${tag}, ${amount}, ${stamp})
    on conflict (network, plan_key) do update set stamp = excluded.stamp
    where known.stamp is null and known.recipient = excluded.recipient and known.tag is not distinct from excluded.tag
      and known.amount = excluded.amount`
}

export type PaymentRow = {
  state: 'waiting' | 'sent' | 'done' | 'never'
  hash: string | null
  fee: bigint | null
  /** An attempt at it has its signature. */
  is_signed: boolean
}

export const paymentOf = (db: Db, network: string, key: string): Promise<PaymentRow[]> =>
  db.sql`
    select state, hash, fee,
      exists (select 1 from xrpl_attempts as attempt where payment_id = payment.id and attempt.hash is not null) as is_signed
    from xrpl_payments as payment where network = ${network} and plan_key = ${key}`

/** Locks a payout. */
export const lockPayment = (
  db: Atomic,
  network: string,
  key: string,
): Promise<(Pick<PaymentRow, 'state'> & { id: bigint })[]> =>
  db.sql`select id, state from xrpl_payments where network = ${network} and plan_key = ${key} for update`

/** Payouts without a number after one, the oldest first. Those that were refused until later, or ended, are left out. */
export const waitingPayments = (
  db: Db,
  network: string,
  { now, after, limit }: { now: Date; after: bigint; limit: number },
): Promise<WaitingPayment[]> =>
  db.sql`
    select id, plan_key, recipient, tag, amount, stamp, exists (
      select 1 from chain_refusals as refusal
      where refusal.network = payment.network and refusal.plan_key = payment.plan_key and code = 'already_signed') as was_signed
    from xrpl_payments as payment
    where network = ${network} and state = 'waiting' and id > ${after}
      and not exists (
        select 1 from chain_refusals as refusal
        where refusal.network = payment.network and refusal.plan_key = payment.plan_key and refused_until > ${now})
      and not exists (
        select 1 from chain_ended as ended where ended.network = payment.network and ended.plan_key = payment.plan_key)
    order by id limit ${limit}`

/** An attempt at a payment. One without `raw` was written down, and is still to be signed. */
export type Attempt = Payment & {
  sequence: bigint
  number: number
  last_ledger: bigint
  fee: bigint
  raw: string | null
}

/** The last attempt of each payment that has a number and no end, in the order of the numbers. */
export const openAttempts = (db: Db, network: string): Promise<Attempt[]> =>
  db.sql`
    select distinct on (sequence) payment.id, plan_key, recipient, tag, amount, stamp, sequence, number, last_ledger,
      attempt.fee, raw
    from xrpl_payments as payment join xrpl_attempts as attempt on payment_id = payment.id
    where network = ${network} and state = 'sent' order by sequence, number desc`

/** The largest number that was given. */
export const lastSequence = (db: Db, network: string): Promise<{ sequence: bigint | null }[]> =>
  db.sql`select max(sequence) as sequence from xrpl_payments where network = ${network}`

/** The payment that has a number. */
export const paymentNumbered = (db: Db, network: string, sequence: bigint): Promise<{ hash: string | null }[]> =>
  db.sql`select hash from xrpl_payments where network = ${network} and sequence = ${sequence}`

/** Gives a waiting payment its number. Gives nothing where it does not wait any more. */
export const numberPayment = (db: Atomic, id: bigint, sequence: bigint): Promise<unknown[]> =>
  db.sql`
    update xrpl_payments set sequence = ${sequence}, state = 'sent' where id = ${id} and state = 'waiting' returning id`

/** Writes down an attempt before it is signed. */
export const insertAttempt = (
  db: Atomic,
  { id, number, lastLedger, fee }: { id: bigint; number: number; lastLedger: bigint; fee: bigint },
): void =>
  db.send`
    insert into xrpl_attempts (payment_id, number, last_ledger, fee) values (${id}, ${number}, ${lastLedger}, ${fee})`

/** Payments whose number was used by a transaction that is no attempt of theirs. */
export const unknownAttempts = (
  db: Db,
  network: string,
  sent: readonly OwnTransaction[],
): Promise<{ id: bigint; plan_key: string; hash: string; sequence: bigint }[]> =>
  db.sql`
    select id, plan_key, used.hash, used.sequence
    from unnest(${sent.map(({ sequence }) => sequence)}::bigint[], ${sent.map(({ hash }) => hash)}::text[]) as used (sequence, hash)
    join xrpl_payments as payment on payment.network = ${network} and payment.sequence = used.sequence
    where state = 'sent' and not exists (
      select from xrpl_attempts as attempt where attempt.payment_id = payment.id and attempt.hash = used.hash)`

export const learnAttempt = (
  db: Db,
  id: bigint,
  { hash, ledger, fee, raw }: OwnTransaction & { raw: string | null },
): Promise<unknown[]> =>
  db.sql`
    insert into xrpl_attempts (payment_id, number, last_ledger, fee, hash, raw)
    select ${id}, coalesce(max(number), 0) + 1, ${ledger}, ${fee}, ${hash}, ${raw} from xrpl_attempts where payment_id = ${id}`

/** Keeps what was signed, before it leaves. */
export const keepSigned = (
  db: Atomic,
  { id, number }: Pick<Attempt, 'id' | 'number'>,
  { raw, hash }: { raw: string; hash: string },
): void =>
  db.send`update xrpl_attempts set raw = ${raw}, hash = ${hash} where payment_id = ${id} and number = ${number}`

/** Takes back an attempt that was not signed; a payment without another one gives its number back. */
export const dropAttempt = (db: Atomic, { id, number }: Pick<Attempt, 'id' | 'number'>): void => {
  db.send`delete from xrpl_attempts where payment_id = ${id} and number = ${number} and raw is null`
  db.send`
    update xrpl_payments set state = 'waiting', sequence = null
    where id = ${id} and state = 'sent' and not exists (select 1 from xrpl_attempts where payment_id = ${id})`
}

/** Ends a payment that can never be made. */
export const giveUp = (db: Atomic, id: bigint): void =>
  db.send`update xrpl_payments set state = 'never', recipient = null, tag = null where id = ${id} and state = 'waiting'`

/**
 * Ends payments whose numbers the ledger has used, and forgets their recipients. Gives what those cost that did not pay. A number
 * that something else has used ends its payment without a cost; one whose transfer is unclear does not end.
 */
export const endPayments = (
  db: Atomic,
  network: string,
  { sent, unclear }: { sent: readonly OwnTransaction[]; unclear: readonly bigint[] },
): Promise<{ cost: bigint }[]> =>
  db.sql`
    with used as (
      select * from unnest(${sent.map(({ sequence }) => sequence)}::bigint[], ${sent.map(({ hash }) => hash)}::text[],
        ${sent.map(({ fee }) => fee)}::numeric[], ${sent.map(({ isPaid }) => isPaid)}::boolean[])
        as used (sequence, hash, fee, is_paid)),
    ended as (
      update xrpl_payments as payment set recipient = null, tag = null,
        state = case when is_ours and is_paid then 'done' else 'never' end,
        hash = case when is_ours then used.hash end, fee = case when is_ours then used.fee end
      from used cross join lateral (
        select exists (select 1 from xrpl_attempts as attempt join xrpl_payments as own on own.id = payment_id
          where own.network = ${network} and own.sequence = used.sequence and attempt.hash = used.hash) as is_ours) as known
      where payment.network = ${network} and payment.sequence = used.sequence and payment.state = 'sent'
        and payment.id <> all(${[...unclear]}::bigint[])
      returning payment.id, payment.state, payment.fee),
    forgotten as (update xrpl_attempts set raw = null where payment_id in (select id from ended))
    select coalesce(sum(fee), 0) as cost from ended where state = 'never'`
