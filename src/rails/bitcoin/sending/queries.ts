import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { SpendableCoin } from './select.ts'

/** Keeps a payout that was submitted, until the next transfer takes it. One that is known is left as it is. */
export const insertPayment = (
  db: Db,
  network: string,
  { key, script, amount }: { key: string; script: string; amount: bigint },
): Promise<unknown[]> =>
  db.sql`
    insert into bitcoin_payments (network, plan_key, script, amount) values (${network}, ${key}, ${script}, ${amount})
    on conflict (network, plan_key) do nothing`

/** A payout as far as it is known here. With a transfer that is final, its id and what it cost. */
export type PaymentRow = {
  state: 'waiting' | 'sending' | 'done' | 'never'
  number: bigint | null
  count: bigint
  txid: string | null
  fee: bigint | null
}

/** Finds a payout with the attempt that is in a block. */
export const paymentOf = (db: Db, network: string, key: string): Promise<PaymentRow[]> =>
  db.sql`
    select payment.state, number::bigint as number, txid, fee,
      (select count(*) from bitcoin_payments as other where other.send_id = payment.send_id) as count
    from bitcoin_payments as payment
    left join lateral (
      select txid, fee from bitcoin_attempts as attempt
      where attempt.send_id = payment.send_id and block is not null limit 1) as attempt on true
    where network = ${network} and plan_key = ${key}`

/** A payout that waits for a transfer. */
export type WaitingPayment = { id: bigint; payout: string; script: string; amount: bigint }

/** The payouts that wait, the oldest first. */
export const waitingPayments = (db: Db, network: string, limit: number): Promise<WaitingPayment[]> =>
  db.sql`
    select id, plan_key as payout, script, amount from bitcoin_payments
    where network = ${network} and state = 'waiting' order by id limit ${limit}`

/** What may be spent: final, unspent, and in no transfer of ours that is under way, or on its way back after a reorganization. */
export const spendableCoins = (db: Db, network: string): Promise<SpendableCoin[]> =>
  db.sql`
    select coin.txid, coin.vout, coin.amount, address.branch, address.position
    from bitcoin_coins as coin join bitcoin_addresses as address on address.id = coin.address_id
    where coin.network = ${network} and coin.state = 'final' and coin.spent_by is null
      and not exists (
        select 1 from bitcoin_inputs as input join bitcoin_sends as send on send.id = input.send_id
        where input.txid = coin.txid and input.vout = coin.vout and send.network = ${network}
          and (send.state = 'open' or send.state = 'done' and not exists (
            select 1 from bitcoin_attempts where send_id = send.id and block is not null)))
    order by coin.amount desc, coin.id limit 5000`

/** One set of signed bytes. */
export type NewAttempt = {
  number: number
  txid: string
  raw: string
  fee: bigint
  size: number
  change: bigint
  at: Date
}

/** Keeps a transfer with its first attempt, its inputs and its payments, in their order. */
export async function insertSend(
  db: Atomic,
  network: string,
  { payments, inputs, attempt }: { payments: bigint[]; inputs: readonly SpendableCoin[]; attempt: NewAttempt },
): Promise<void> {
  const [send] = await db.sql<{ id: bigint }>`insert into bitcoin_sends (network) values (${network}) returning id`
  if (!send) throw new Error('A transfer was not stored.')
  insertInputs(db, send.id, inputs, 1)
  insertAttempt(db, send.id, attempt)
  const taken = await db.sql`
    update bitcoin_payments as payment set state = 'sending', send_id = ${send.id}, number = ordered.number - 1
    from unnest(${payments}::bigint[]) with ordinality as ordered (id, number)
    where payment.id = ordered.id and payment.state = 'waiting' returning payment.id`
  if (taken.length !== payments.length) throw new Error('A payout was taken by another transfer.')
}

/** Keeps inputs that an attempt adds. */
export const insertInputs = (db: Atomic, sendId: bigint, inputs: readonly SpendableCoin[], since: number): void =>
  db.send`
    insert into bitcoin_inputs (send_id, txid, vout, amount, branch, position, since)
    select ${sendId}, new.*, ${since} from unnest(${inputs.map((one) => one.txid)}::text[],
      ${inputs.map((one) => one.vout)}::integer[], ${inputs.map((one) => one.amount)}::numeric[],
      ${inputs.map((one) => one.branch)}::smallint[], ${inputs.map((one) => one.position)}::bigint[]) as new`

/** Keeps an attempt. One with the same number fails the block. */
export const insertAttempt = (
  db: Atomic,
  sendId: bigint,
  { number, txid, raw, fee, size, change, at }: NewAttempt,
): void =>
  db.send`
    insert into bitcoin_attempts (send_id, number, txid, raw, fee, size, change, made_at)
    values (${sendId}, ${number}, ${txid}, ${raw}, ${fee}, ${size}, ${change}, ${at})`

/** A transfer that is in no block, with its last attempt. */
export type OpenSend = {
  id: bigint
  state: 'open' | 'done'
  number: number
  raw: string
  fee: bigint
  size: number
  made_at: Date
  txids: string[]
  /** It spends a deposit that a reorganization took permanently: no node will ever take it as it is. */
  is_broken: boolean
}

/** The transfers that are in no block: those under way, and those that a reorganization took out of theirs. */
export const openSends = (db: Db, network: string): Promise<OpenSend[]> =>
  db.sql`
    select send.id, send.state, number, raw, fee, size, made_at,
      array(select txid from bitcoin_attempts where send_id = send.id) as txids,
      exists (
        select 1 from bitcoin_inputs as input where input.send_id = send.id and not input.is_dropped
          and not exists (
            select 1 from bitcoin_coins as coin where coin.network = ${network} and coin.txid = input.txid
              and coin.vout = input.vout and coin.state <> 'reversed')) as is_broken
    from bitcoin_sends as send
    join lateral (
      select * from bitcoin_attempts where send_id = send.id order by number desc limit 1) as last on raw is not null
    where network = ${network} and state <> 'never'
      and not exists (select 1 from bitcoin_attempts where send_id = send.id and block is not null)
    order by send.id`

/** What a transfer spends, and since which attempt. `is_lost`: it was a deposit that a reorganization took permanently. */
export type SendInput = SpendableCoin & { since: number; is_lost: boolean }

/** What the last attempt of a transfer spends. */
export const inputsOf = (db: Db, sendId: bigint): Promise<SendInput[]> =>
  db.sql`
    select input.txid, input.vout, input.amount, input.branch, input.position, since,
      not exists (
        select 1 from bitcoin_coins as coin join bitcoin_sends as send using (network)
        where send.id = ${sendId} and coin.txid = input.txid and coin.vout = input.vout
          and coin.state <> 'reversed') as is_lost
    from bitcoin_inputs as input where send_id = ${sendId} and not is_dropped
    order by since, amount desc, txid, vout`

/** Leaves out of the next attempts what was lost. */
export const dropLostInputs = (db: Atomic, sendId: bigint, lost: readonly SpendableCoin[]): void => {
  if (lost.length === 0) return
  db.send`
    update bitcoin_inputs as input set is_dropped = true
    from unnest(${lost.map((one) => one.txid)}::text[], ${lost.map((one) => one.vout)}::integer[]) as lost (txid, vout)
    where input.send_id = ${sendId} and input.txid = lost.txid and input.vout = lost.vout`
}

/** What a transfer pays, in its order. */
export const paymentsOf = (db: Db, sendId: bigint): Promise<WaitingPayment[]> =>
  db.sql`select id, plan_key as payout, script, amount from bitcoin_payments where send_id = ${sendId} order by number`

/**
 * Ends what is final: a transfer of ours in a final block is done; one whose first inputs a foreign transfer spends in a final block
 * never will be.
 */
export const endSends = (db: Atomic, network: string, upTo: bigint): void => {
  db.send`
    with done as (
      update bitcoin_sends as send set state = 'done',
        cost = case when exists (select 1 from bitcoin_payments where send_id = send.id) then null else attempt.fee end
      from bitcoin_attempts as attempt
      where send.network = ${network} and send.state = 'open' and attempt.send_id = send.id and attempt.block <= ${upTo}
      returning send.id)
    update bitcoin_payments set state = 'done' from done where send_id = done.id`
  db.send`
    with never as (
      update bitcoin_sends as send set state = 'never'
      where network = ${network} and state = 'open' and exists (
        select 1 from bitcoin_inputs as input
        join bitcoin_coins as coin on coin.network = ${network} and coin.txid = input.txid and coin.vout = input.vout
        where input.send_id = send.id and input.since = 1 and not input.is_dropped and coin.spent_block <= ${upTo}
          and not exists (
            select 1 from bitcoin_attempts as attempt where attempt.send_id = send.id and attempt.txid = coin.spent_by))
      returning id)
    update bitcoin_payments set state = 'never' from never where send_id = never.id`
}

/** Removes whom transfers pay, once they are in a block at most as high as this. */
export const forgetRecipients = (db: Atomic, network: string, upTo: bigint): void => {
  db.send`
    with deep as (
      update bitcoin_attempts as attempt set raw = null from bitcoin_sends as send
      where send.id = attempt.send_id and send.network = ${network} and send.state = 'done' and raw is not null
        and exists (select 1 from bitcoin_attempts as own where own.send_id = send.id and own.block <= ${upTo})
      returning attempt.send_id)
    update bitcoin_payments set script = null where send_id in (select send_id from deep)`
}

/** Takes what transfers without payments have cost and was not booked. */
export const takeCosts = (db: Atomic, network: string): Promise<{ cost: bigint }[]> =>
  db.sql`
    update bitcoin_sends set is_charged = true
    where network = ${network} and cost is not null and not is_charged returning cost`
