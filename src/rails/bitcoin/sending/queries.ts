import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { SpendableCoin } from './select.ts'

/** Keeps a payout that was submitted, until the next transfer takes it. One that is known is left as it is. */
export const insertPayment = (
  db: Db,
  network: string,
  { key, script, amount, stamp }: { key: string; script: string; amount: bigint; stamp: Buffer },
): Promise<unknown[]> =>
  db.sql`
    insert into bitcoin_payments as known (network, plan_key, script, amount, stamp)
    values (${network}, ${key}, ${script}, ${amount}, ${stamp})
    on conflict (network, plan_key) do update set stamp = excluded.stamp
    where known.stamp is null and known.script = excluded.script and known.amount = excluded.amount`

/** A payout as far as it is known here. With a transfer that is final, its id and what it cost. */
export type PaymentRow = {
  state: 'waiting' | 'sending' | 'done' | 'never'
  number: bigint | null
  count: bigint
  txid: string | null
  fee: bigint | null
  /** An attempt of its transfer has its signature. */
  is_signed: boolean
}

/** Finds a payout with the attempt that is in a block. */
export const paymentOf = (db: Db, network: string, key: string): Promise<PaymentRow[]> =>
  db.sql`
    select payment.state, number::bigint as number, txid, fee,
      exists (select 1 from bitcoin_attempts as own where own.send_id = payment.send_id and own.txid is not null) as is_signed,
      (select count(*) from bitcoin_payments as other where other.send_id = payment.send_id) as count
    from bitcoin_payments as payment
    left join lateral (
      select txid, fee from bitcoin_attempts as attempt
      where attempt.send_id = payment.send_id and block is not null limit 1) as attempt on true
    where network = ${network} and plan_key = ${key}`

/** Locks a payout. */
export const lockPayment = (db: Atomic, network: string, key: string): Promise<Pick<PaymentRow, 'state'>[]> =>
  db.sql`select state from bitcoin_payments where network = ${network} and plan_key = ${key} for update`

/** Ends a payout that waits. */
export const endWaiting = (db: Atomic, network: string, key: string): void =>
  db.send`
    update bitcoin_payments set state = 'never' where network = ${network} and plan_key = ${key} and state = 'waiting'`

/** A payout that waits for a transfer. */
export type WaitingPayment = { id: bigint; payout: string; script: string; amount: bigint; stamp: Buffer | null }

/** The payouts that wait, worth less than `below` each, the oldest first. Those that were refused until later, or ended, are left out. */
export const waitingPayments = (
  db: Db,
  network: string,
  { now, below, limit }: { now: Date; below: bigint; limit: number },
): Promise<WaitingPayment[]> =>
  db.sql`
    select id, plan_key as payout, script, amount, stamp from bitcoin_payments as payment
    where network = ${network} and state = 'waiting' and amount < ${below}
      and not exists (
        select 1 from chain_refusals as refusal
        where refusal.network = payment.network and refusal.plan_key = payment.plan_key and refused_until > ${now})
      and not exists (
        select 1 from chain_ended as ended where ended.network = payment.network and ended.plan_key = payment.plan_key)
    order by id limit ${limit}`

/** Whether any payout waits that nobody has refused until later. */
export const hasWaiting = (db: Db, network: string, now: Date): Promise<unknown[]> =>
  waitingPayments(db, network, { now, below: 10n ** 30n, limit: 1 })

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

/** An attempt as it is written down before it is signed. */
export type NewAttempt = { number: number; fee: bigint; size: number; change: bigint; at: Date }

/** Writes down a transfer with its first attempt, its inputs and its payments, in their order. Gives its id. */
export async function insertSend(
  db: Atomic,
  network: string,
  { payments, inputs, attempt }: { payments: bigint[]; inputs: readonly SpendableCoin[]; attempt: NewAttempt },
): Promise<bigint> {
  const [send] = await db.sql<{ id: bigint }>`insert into bitcoin_sends (network) values (${network}) returning id`
  if (!send) throw new Error('A transfer was not stored.')
  insertInputs(db, send.id, inputs, 1)
  insertAttempt(db, send.id, attempt)
  const taken = await db.sql`
    update bitcoin_payments as payment set state = 'sending', send_id = ${send.id}, number = ordered.number - 1
    from unnest(${payments}::bigint[]) with ordinality as ordered (id, number)
    where payment.id = ordered.id and payment.state = 'waiting' returning payment.id`
  if (taken.length !== payments.length) throw new Error('A payout was taken by another transfer.')
  return send.id
}

/** The change of the attempt of a transfer that is to be signed. */
export const unsignedAttempt = (db: Db, sendId: bigint): Promise<{ number: number; change: bigint; fee: bigint }[]> =>
  db.sql`select number, change, fee from bitcoin_attempts where send_id = ${sendId} and txid is null`

/** Keeps the bytes of an attempt. Gives nothing where it was signed already, or given up. */
export const keepSigned = (
  db: Db,
  { sendId, number }: { sendId: bigint; number: number },
  { raw, txid }: { raw: string; txid: string },
): Promise<unknown[]> =>
  db.sql`
    update bitcoin_attempts set raw = ${raw}, txid = ${txid}
    where send_id = ${sendId} and number = ${number} and txid is null returning number`

/** Gives up an attempt for which there is no signature. Payments of a transfer that was never signed wait again. */
export const dropUnsigned = (db: Atomic, sendId: bigint, number: number): void => {
  db.send`delete from bitcoin_attempts where send_id = ${sendId} and number = ${number} and txid is null`
  db.send`delete from bitcoin_inputs where send_id = ${sendId} and since = ${number}`
  if (number > 1) return
  db.send`
    update bitcoin_payments set state = 'waiting', send_id = null, number = null
    where send_id = ${sendId} and not exists (select 1 from bitcoin_attempts where send_id = ${sendId})`
  db.send`
    delete from bitcoin_sends
    where id = ${sendId} and not exists (select 1 from bitcoin_attempts where send_id = ${sendId})`
}

/** Keeps inputs that an attempt adds. */
export const insertInputs = (db: Atomic, sendId: bigint, inputs: readonly SpendableCoin[], since: number): void =>
  db.send`
    insert into bitcoin_inputs (send_id, txid, vout, amount, branch, position, since)
    select ${sendId}, new.*, ${since} from unnest(${inputs.map((one) => one.txid)}::text[],
      ${inputs.map((one) => one.vout)}::integer[], ${inputs.map((one) => one.amount)}::numeric[],
      ${inputs.map((one) => one.branch)}::smallint[], ${inputs.map((one) => one.position)}::bigint[]) as new`

/** Writes down an attempt. One with the same number fails the block. */
export const insertAttempt = (db: Atomic, sendId: bigint, { number, fee, size, change, at }: NewAttempt): void =>
  db.send`
    insert into bitcoin_attempts (send_id, number, fee, size, change, made_at)
    values (${sendId}, ${number}, ${fee}, ${size}, ${change}, ${at})`

/** A transfer that is in no block, with its last attempt. */
export type OpenSend = {
  id: bigint
  state: 'open' | 'done'
  number: number
  is_signed: boolean
  /** The last bytes that were signed, if any were. */
  raw: string | null
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
    select send.id, send.state, number, txid is not null as is_signed, fee, size, made_at,
      (select raw from bitcoin_attempts where send_id = send.id and raw is not null order by number desc limit 1) as raw,
      array(select txid from bitcoin_attempts where send_id = send.id and txid is not null) as txids,
      exists (
        select 1 from bitcoin_inputs as input where input.send_id = send.id and not input.is_dropped
          and not exists (
            select 1 from bitcoin_coins as coin where coin.network = ${network} and coin.txid = input.txid
              and coin.vout = input.vout and coin.state <> 'reversed')) as is_broken
    from bitcoin_sends as send
    join lateral (
      select * from bitcoin_attempts where send_id = send.id order by number desc limit 1) as last
      on raw is not null or txid is null
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
  db.sql`select id, plan_key as payout, script, amount, stamp from bitcoin_payments where send_id = ${sendId} order by number`

/**
 * Ends what is final: a transfer of ours in a final block is done; one whose first inputs a foreign transfer spends in a final block
 * never will be, unless its transfer is unclear.
 */
export const endSends = (
  db: Atomic,
  network: string,
  { upTo, unclear }: { upTo: bigint; unclear: readonly bigint[] },
): void => {
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
      where network = ${network} and state = 'open' and send.id <> all(${[...unclear]}::bigint[]) and exists (
        select 1 from bitcoin_inputs as input
        join bitcoin_coins as coin on coin.network = ${network} and coin.txid = input.txid and coin.vout = input.vout
        where input.send_id = send.id and input.since = 1 and not input.is_dropped and coin.spent_block <= ${upTo}
          and not exists (
            select 1 from bitcoin_attempts as attempt where attempt.send_id = send.id and attempt.txid = coin.spent_by))
      returning id)
    update bitcoin_payments set state = 'never' from never where send_id = never.id`
}

/** A transfer of payouts whose inputs are spent by a transfer that it does not have as an attempt, and which coins of ours that one spends. */
export type UnknownAttempt = { send_id: bigint; txid: string; block: bigint; keys: string[]; places: string[] }

/** Such transfers, whose inputs are spent in a block up to a number. */
export const unknownAttempts = (db: Db, network: string, upTo: bigint): Promise<UnknownAttempt[]> =>
  db.sql`
    select distinct on (send.id) send.id as send_id, coin.spent_by as txid, coin.spent_block as block,
      array(select plan_key from bitcoin_payments where send_id = send.id order by number) as keys,
      array(select own.txid || ':' || own.vout from bitcoin_coins as own
        where own.network = ${network} and own.spent_by = coin.spent_by) as places
    from bitcoin_sends as send
    join bitcoin_inputs as input on input.send_id = send.id and input.since = 1 and not input.is_dropped
    join bitcoin_coins as coin on coin.network = ${network} and coin.txid = input.txid and coin.vout = input.vout
    where send.network = ${network} and send.state = 'open' and coin.spent_block <= ${upTo}
      and not exists (select from bitcoin_attempts as attempt where attempt.send_id = send.id and attempt.txid = coin.spent_by)
    order by send.id, coin.spent_block`

/** The amounts of outputs that were ours. */
export const amountsOf = (
  db: Db,
  network: string,
  outpoints: readonly { txid: string; vout: number }[],
): Promise<{ amount: bigint }[]> =>
  db.sql`
    select distinct on (txid, vout) amount from bitcoin_coins
    join unnest(${outpoints.map(({ txid }) => txid)}::text[], ${outpoints.map(({ vout }) => vout)}::integer[]) as spent (txid, vout)
      using (txid, vout)
    where network = ${network} order by txid, vout, inclusion desc`

/** Stores an attempt that is in a block already. Without a fee it has that of the dearest one. */
export const learnAttempt = (
  db: Db,
  sendId: bigint,
  {
    txid,
    raw,
    fee,
    change,
    block,
    at,
  }: { txid: string; raw: string; fee: bigint | null; change: bigint; block: bigint; at: Date },
): Promise<unknown[]> =>
  db.sql`
    insert into bitcoin_attempts (send_id, number, txid, raw, fee, size, change, made_at, block)
    select send_id, max(number) + 1, ${txid}, ${raw}, coalesce(${fee}, max(fee)), max(size), ${change}, ${at}, ${block}
    from bitcoin_attempts where send_id = ${sendId} group by send_id`

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
