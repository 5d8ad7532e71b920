import { createHmac } from 'node:crypto'

/**
 * One amount of one asset, from the credited to the debited account. A posting balances by itself, so the ledger balances per
 * asset after every entry, by construction.
 *
 * Debits count up for what we have (`held:`, `rail:...:clearing`), credits for what we owe or earned (`customer:`, `fees:`,
 * `capital`): in the audit view a debit is the positive sign.
 */
export type Posting = { debit: string; credit: string; asset: string; amount: bigint }

/** Kinds of entries. Each is booked once for its `ref`: a deposit, a quote number, a payout. */
export type EntryKind =
  | 'capital' //          the operator's own money
  | 'deposit' //          a final deposit; ref is the deposit
  | 'exchange' //         the exchange itself; ref is the quote's number
  | 'payout_sent' //      the payout is with the rail; ref is the payout
  | 'payout_settled' //   the rail's evidence; ref is the payout
  | 'deposit_reversed' // a final deposit was reversed; ref is the deposit
  | 'deposit_reinstated' // a rail gave back what it had reversed; ref is the reinstatement
  | 'payout_returned' //  a payout was returned; ref is the payout
  | 'payout_return_withdrawn' // it had not been returned, although its rail had said so; ref is the payout
  | 'payout_failed' //    the rail will never pay it; ref is the payout
  | 'exchange_mirrored' // reverses an exchange that was not paid out; ref is the quote's number
  | 'loss_recovered' //   a reversed deposit is not a loss after all, its exchange was reversed; ref is the quote's number
  | 'refund_cost' //      the part of a refund that we keep for sending it; ref is the refund
  | 'refund_cost_mirrored' // reverses a refund's cost; ref is the refund
  | 'write_off' //        too little to be sent back; ref is a separate id
  | 'suspense_matched' // a deposit in suspense was assigned to a transaction; ref is the deposit
  | 'wallet_cost' //      cost of a transfer between our wallets; ref is a separate id
  | 'own_money' //         capital, an expense, a tax, a transfer of the house's own; ref is its row
  | 'method_cost' //      what a processor or bank charged us; ref is a separate id
  | 'transfer_sent' //    money left one custody account for another; ref is the rebalance
  | 'transfer_received' // it arrived there; ref is the rebalance
  | 'hedge_fill' //       a part of a hedge was traded at a venue; ref is the fill

/** Postings that are booked together. */
export type Entry = { transactionId: bigint | null; kind: EntryKind; ref: bigint; at: Date; postings: Posting[] }

/** Drops postings of zero. An entry without postings and a negative amount are faults. */
export function entry(what: Omit<Entry, 'postings'>, postings: Posting[]): Entry {
  const real = postings.filter(({ amount }) => amount !== 0n)
  if (real.length === 0) throw new Error(`A ${what.kind} entry needs a posting.`)
  for (const { amount, debit, credit } of real) {
    if (amount < 0n || debit === credit) throw new Error(`A posting of a ${what.kind} entry is impossible.`)
  }
  return { ...what, postings: real }
}

/**
 * HMAC-SHA-256 over an entry's id, fields and postings, one a line. Without the master key nobody who can write to the database
 * can change a posting or swap two entries and make the digest fit. Older entries have digests without the id.
 */
export function digestOf(key: Buffer, { transactionId, kind, ref, at, postings }: Entry, id?: bigint): Buffer {
  const mac = createHmac('sha256', key)
  if (id !== undefined) mac.update(`${id}|`)
  mac.update(`${transactionId ?? ''}|${kind}|${ref}|${at.getTime()}`)
  for (const { debit, credit, asset, amount } of postings) mac.update(`\n${debit}|${credit}|${asset}|${amount}`)
  return mac.digest()
}
