import type { Atomic, Db } from '../../../platform/db/sql.ts'

/** Makes a wallet known, with the nonce that the chain says is its next. */
export const openWallet = (db: Db, network: string, address: string, nonce: bigint): Promise<unknown[]> =>
  db.sql`
    insert into evm_wallets (network, address, next_nonce) values (${network}, ${address}, ${nonce})
    on conflict (network, address) do nothing`

/** What a plan asks of the chain. */
type Body = Record<string, string>

/** Locks a wallet: who holds it gives the next nonce. */
export const lockWallet = (db: Atomic, network: string, address: string): Promise<{ next_nonce: bigint }[]> =>
  db.sql`select next_nonce from evm_wallets where network = ${network} and address = ${address} for update`

/** What is promised by sends that are still open: of an asset, and of the coin for their fees. */
export const promised = (
  db: Atomic,
  network: string,
  { sender, asset }: { sender: string; asset: string },
): Promise<{ amount: bigint; fees: bigint }[]> =>
  db.sql`
    select coalesce(sum(amount) filter (where asset = ${asset}), 0) as amount, coalesce(sum(most_fee), 0) as fees
    from evm_sends where network = ${network} and sender = ${sender} and state = 'open'`

/** A send, with a candidate. It has no hash until it is signed. */
export type SendRow = {
  id: bigint
  nonce: bigint
  state: 'open' | 'done' | 'never'
  number: number
  gas: bigint
  max_fee: bigint
  priority_fee: bigint
  made_at: Date
  hashes: string[]
  stamp: Buffer | null
}

/** Finds the send of a plan with its dearest candidate that is signed, or its first one, and all hashes that it may be known by. */
export const sendOf = (db: Db, network: string, planKey: string): Promise<SendRow[]> =>
  db.sql`
    select sends.id, nonce, state, number, gas, max_fee, priority_fee, made_at, stamp,
      array(select hash from evm_candidates where send_id = sends.id and hash is not null order by number) as hashes
    from evm_sends as sends
    join lateral (
      select * from evm_candidates where send_id = sends.id and (hash is not null or number = 1)
      order by number desc limit 1) as last on true
    where network = ${network} and plan_key = ${planKey}`

/** Locks an open send, against another process that raises its fee at the same time. */
export const lockOpenSend = (db: Atomic, id: bigint): Promise<{ id: bigint }[]> =>
  db.sql`select id from evm_sends where id = ${id} and state = 'open' for update`

/** A send that is not signed: the last one of its wallet. Its only candidate is what is to be signed. */
export type UnsignedSend = {
  id: bigint
  sender: string
  nonce: bigint
  plan_key: string
  body: Body
  gas: bigint
  max_fee: bigint
  priority_fee: bigint
  stamp: Buffer | null
}

/** The send of a wallet that is not signed, which a process writes down before it asks for the signature. */
export const unsignedSend = (db: Db, network: string, sender: string): Promise<UnsignedSend[]> =>
  db.sql`
    select id, sender, nonce, plan_key, body, stamp, gas, max_fee, priority_fee
    from evm_sends join evm_candidates on send_id = id
    where network = ${network} and sender = ${sender} and body is not null`

/** A new send, and what is to be signed first for it. */
export type NewSend = {
  network: string
  sender: string
  nonce: bigint
  planKey: string
  body: Body
  stamp: Buffer
  asset: string
  amount: bigint
  gas: bigint
  maxFee: bigint
  priorityFee: bigint
  at: Date
}

/** Writes down a send before it is signed, and moves the wallet's nonce on. Who writes it asks for the signature. */
export const insertSend = (db: Atomic, send: NewSend): Promise<UnsignedSend[]> => {
  const { network, sender, nonce, planKey, body, stamp, asset, amount, gas, maxFee, priorityFee, at } = send
  db.send`update evm_wallets set next_nonce = ${nonce + 1n} where network = ${network} and address = ${sender}`
  return db.sql`
    with fresh as (
      insert into evm_sends (network, sender, nonce, plan_key, body, stamp, asked_at, asset, amount, most_fee)
      values (${network}, ${sender}, ${nonce}, ${planKey}, ${JSON.stringify(body)}::jsonb, ${stamp}, ${at}, ${asset}, ${amount},
        ${gas * maxFee})
      returning id, sender, nonce, plan_key, body, stamp),
    first as (
      insert into evm_candidates (send_id, number, gas, max_fee, priority_fee, made_at)
      select id, 1, ${gas}, ${maxFee}, ${priorityFee}, ${at} from fresh returning gas, max_fee, priority_fee)
    select fresh.*, first.* from fresh, first`
}

/** Takes over a send whose signature nobody has asked for since a time. Gives nothing where somebody has, or it is signed. */
export const takeUnsigned = (db: Db, id: bigint, at: Date, since: Date): Promise<{ id: bigint }[]> =>
  db.sql`
    update evm_sends set asked_at = ${at}
    where id = ${id} and body is not null and (asked_at is null or asked_at <= ${since}) returning id`

/** Lets the next process ask for the signature at once. */
export const leaveUnsigned = (db: Db, id: bigint, at: Date): Promise<unknown[]> =>
  db.sql`update evm_sends set asked_at = null where id = ${id} and asked_at = ${at}`

/** Keeps the first signature of a send. Gives nothing where it has one, or was given up. */
export const keepSigned = (
  db: Atomic,
  { id, plan_key: planKey }: UnsignedSend,
  hash: string,
): Promise<{ id: bigint }[]> => {
  keepInner(db, planKey, hash)
  return db.sql`
    with signed as (update evm_sends set body = null, asked_at = null where id = ${id} and body is not null returning id)
    update evm_candidates set hash = ${hash} from signed where send_id = signed.id returning signed.id`
}

/** Gives up a send for which there is no signature, if it is still this process that asked. Its nonce is the wallet's next again. */
export const dropUnsigned = (db: Atomic, network: string, { id, sender, nonce }: UnsignedSend, at: Date): void => {
  db.send`
    with dropped as (
      delete from evm_sends where id = ${id} and body is not null and asked_at = ${at} returning id),
    candidates as (delete from evm_candidates using dropped where send_id = dropped.id)
    update evm_wallets set next_nonce = ${nonce} from dropped where network = ${network} and address = ${sender}`
}

/** What is to be signed in the place of an earlier candidate, under the same nonce. */
export type Raise = { number: number; gas: bigint; max_fee: bigint; priority_fee: bigint; made_at: Date }

/** Gas for our own addresses is not reported: its plans are known by the beginning of their keys. */
const keepInner = (db: Atomic, planKey: string, hash: string): void => {
  if (planKey.startsWith(gasPlan)) db.send`insert into evm_inner (hash) values (${hash}) on conflict do nothing`
}

/** How the keys of plans begin that bring gas to addresses of ours. A payout's key is a number. */
export const gasPlan = 'gas '

/** Writes down a candidate with a higher fee before it is signed. */
export const insertRaise = (db: Atomic, sendId: bigint, raise: Raise): void => {
  const { number, gas, max_fee: maxFee, priority_fee: priorityFee, made_at: at } = raise
  db.send`update evm_sends set most_fee = ${gas * maxFee} where id = ${sendId}`
  db.send`
    insert into evm_candidates (send_id, number, gas, max_fee, priority_fee, made_at)
    values (${sendId}, ${number}, ${gas}, ${maxFee}, ${priorityFee}, ${at})`
}

/** The candidate of an open send that was written down after another one, and is not signed. */
export const unsignedRaise = (db: Db, sendId: bigint): Promise<Raise[]> =>
  db.sql`
    select number, gas, max_fee, priority_fee, made_at from evm_candidates join evm_sends on evm_sends.id = send_id
    where send_id = ${sendId} and state = 'open' and number > 1 and hash is null`

/** Keeps a signed candidate, even one that another process has taken back meanwhile. */
export const keepRaise = (db: Atomic, sendId: bigint, planKey: string, raise: Raise & { hash: string }): void => {
  const { number, hash, gas, max_fee: maxFee, priority_fee: priorityFee, made_at: at } = raise
  db.send`
    insert into evm_candidates (send_id, number, hash, gas, max_fee, priority_fee, made_at)
    values (${sendId}, ${number}, ${hash}, ${gas}, ${maxFee}, ${priorityFee}, ${at})
    on conflict (send_id, number) do update set hash = excluded.hash`
  keepInner(db, planKey, hash)
}

/** Takes back a candidate that was not signed. */
export const dropRaise = (db: Db, sendId: bigint, { number }: Raise): Promise<unknown[]> =>
  db.sql`delete from evm_candidates where send_id = ${sendId} and number = ${number} and hash is null`

/** Stores a candidate that was signed already. */
export const learnCandidate = (
  db: Db,
  sendId: bigint,
  {
    number,
    hash,
    gas,
    maxFee,
    priorityFee,
    at,
  }: { number: number; hash: string; gas: bigint; maxFee: bigint; priorityFee: bigint; at: Date },
): Promise<unknown[]> =>
  db.sql`
    insert into evm_candidates (send_id, number, hash, gas, max_fee, priority_fee, made_at)
    values (${sendId}, ${number}, ${hash}, ${gas}, ${maxFee}, ${priorityFee}, ${at}) on conflict do nothing`

/** Writes down how a send has ended, and what it cost where no payout's evidence tells. */
export const endSend = (db: Db, id: bigint, state: 'done' | 'never', cost: bigint | null = null): Promise<unknown[]> =>
  db.sql`update evm_sends set state = ${state}, cost = ${cost} where id = ${id} and state = 'open'`

/**
 * A transfer that is not ours and used up a nonce of a wallet, in a block up to a number. Our own candidates are read in the same
 * statement: another process may have raised a fee since.
 */
export const usedBy = (
  db: Db,
  network: string,
  { sender, nonce, upTo }: { sender: string; nonce: bigint; upTo: bigint },
): Promise<{ hash: string }[]> =>
  db.sql`
    select outgoing.hash from evm_outgoing as outgoing join chain_follows using (network)
    where network = ${network} and sender = ${sender} and nonce = ${nonce} and block <= ${upTo}
      and block <= next_block - 1 and halted is null
      and not exists (select 1 from evm_candidates where evm_candidates.hash = outgoing.hash)`

/** The hash of what has used a nonce of a wallet, in a block that was read. */
export const hashUsing = (
  db: Db,
  network: string,
  { sender, nonce }: { sender: string; nonce: bigint },
): Promise<{ hash: string }[]> =>
  db.sql`select hash from evm_outgoing where network = ${network} and sender = ${sender} and nonce = ${nonce}`
