import { createHmac } from 'node:crypto'

/**
 * One amount of one asset, moved in the books from the credited to the debited account. A posting balances by itself, so
 * the books balance per asset after every entry, by construction.
 *
 * Debits count up for what we have (`held:`, `rail:...:clearing`), credits for what we owe or earned (`customer:`, `fees:`,
 * `capital`): in the audit view a debit is the positive sign.
 */
export type Posting = { debit: string; credit: string; asset: string; amount: bigint }

/** What can be booked. Each happens once for its `ref`: a deposit, a quote number, a payout. */
export type EntryKind =
  | 'capital' //          the operator's own money, brought in
  | 'deposit' //          a final deposit; ref is the deposit
  | 'exchange' //         the exchange itself; ref is the quote's number
  | 'payout_sent' //      the payout is with the rail; ref is the payout
  | 'payout_settled' //   the rail's evidence; ref is the payout
  | 'deposit_reversed' // a final deposit was taken back; ref is the deposit
  | 'deposit_reinstated' // a rail gave back what it had reversed; ref is the reinstatement
  | 'payout_returned' //  what was paid out came back; ref is the payout
  | 'payout_failed' //    the rail said that it will never pay; ref is the payout
  | 'exchange_mirrored' // an exchange was undone before it was paid out; ref is the quote's number
  | 'loss_recovered' //   what was taken back is no loss, its exchange was undone; ref is the quote's number
  | 'refund_cost' //      what of a refund is kept for sending it; ref is the refund
  | 'refund_cost_mirrored' // a refund was undone and nothing of it is kept; ref is the refund
  | 'write_off' //        too little to be sent back; ref is an id of its own
  | 'suspense_matched' // money of nobody's was found to be a customer's; ref is the deposit
  | 'wallet_cost' //      what moving money between wallets of ours has cost; ref is an id of its own

/** A set of postings that is booked together. Amounts of zero are left out by `entry`. */
export type Entry = { transactionId: bigint | null; kind: EntryKind; ref: bigint; at: Date; postings: Posting[] }

/** Makes an entry; postings of nothing are dropped, an entry of nothing or a negative amount is a fault. */
export function entry(what: Omit<Entry, 'postings'>, postings: Posting[]): Entry {
  const real = postings.filter(({ amount }) => amount !== 0n)
  if (real.length === 0) throw new Error(`A ${what.kind} entry needs a posting.`)
  for (const { amount, debit, credit } of real) {
    if (amount < 0n || debit === credit) throw new Error(`A posting of a ${what.kind} entry is impossible.`)
  }
  return { ...what, postings: real }
}

/**
 * The keyed digest of an entry: HMAC-SHA-256 over its id, its fields and its postings, one a line. Who can write to the database
 * but has not the master key cannot change a posting, or let two entries change places, and make the digest fit. Without an id it
 * is the digest of entries from before ids were a part of it.
 */
export function digestOf(key: Buffer, { transactionId, kind, ref, at, postings }: Entry, id?: bigint): Buffer {
  const mac = createHmac('sha256', key)
  if (id !== undefined) mac.update(`${id}|`)
  mac.update(`${transactionId ?? ''}|${kind}|${ref}|${at.getTime()}`)
  for (const { debit, credit, asset, amount } of postings) mac.update(`\n${debit}|${credit}|${asset}|${amount}`)
  return mac.digest()
}
