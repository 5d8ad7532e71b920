import type { Cause } from './compare.ts'

/** What a person does about a break, by its cause. */
export const advice: Readonly<Record<Cause, string>> = {
  missing:
    'Ask the custodian for the payment. If it was never there, withdraw the booking, or hold its order. If coins are gone from a wallet, stop its payouts, and find the transfer that took them.',
  double:
    'Compare the two bookings. If they are one payment, do not pay the second one out. What was paid out twice, ask back from who got it; if nothing comes, withdraw the booking that its statement lacks, or the difference that was booked before its statement came, and book what lies or left without an order as our own: as a loss.',
  other_amount: 'Compare both amounts with the payment’s own record, and ask the custodian which is right.',
  other_account: 'It is at another account of yours: book both sides as a transfer.',
  charge_not_booked: 'Book it as our own fee; what a processor took, as a charge.',
  returned:
    'The payout came back, and its order counts as paid. See what is stuck, and have the callback or the file read again; then ask the customer for another account. Resolving it books nothing: until it is booked, hold the order.',
  recalled:
    'The deposit was reversed, and its order still has it: hold the order, and ask the payer’s bank why. See what is stuck, and have the callback or the file read again. Resolving it books nothing.',
  signed_unknown:
    'Halt everything at once, the signer too: it has signed a payment that no payout of ours is behind. Find out who has asked for it. After a restored backup, compare it with the orders of that time.',
  arrived_unseen:
    'It lies in suspense: an account that was deleted, an escrow or a contract brought it, and no order is named. Find the transfer by its hash, then give it to its order, send it back, or book it as our own. This break ends by that.',
  swallowed:
    'Have the file or the callback read again. If it stays, look for the payment in suspense. What a wallet or a processor had at the start is its opening balance: book it.',
  lost_statement:
    'Ask the bank for the statement. If it will not come, say so; where a payment of yours may be in it, two operators book what lies there.',
  not_ours: 'Book it to what it was for. If it is about another account, add that to ignore.',
  opening_differs:
    'Ask the bank for the statement in between: the break ends by itself when it comes. If it will not come, accept the file that waits, if one does; end what was reported of those days and is in no statement; then two operators book the difference, and you say what it was. At the start, book the opening balance.',
}

/** The commands that do it, whose forms the console has. A question to a custodian and work on the signer’s machine have no command. */
export const advisedCommands: Readonly<Record<Cause, readonly string[]>> = {
  missing: ['break withdraw', 'transaction hold', 'halt rail'],
  double: ['break withdraw', 'break book', 'suspense book'],
  other_amount: ['break resolve'],
  other_account: ['suspense book'],
  charge_not_booked: ['suspense book', 'balance charge'],
  returned: ['bank read', 'transaction hold'],
  recalled: ['transaction hold', 'bank read'],
  signed_unknown: ['halt all'],
  arrived_unseen: ['suspense match', 'suspense return', 'suspense book'],
  swallowed: ['bank read', 'suspense match', 'balance open'],
  lost_statement: ['bank skip', 'break book'],
  not_ours: ['suspense book', 'bank ignore'],
  opening_differs: ['bank accept', 'break withdraw', 'break book', 'suspense book', 'balance open'],
}
