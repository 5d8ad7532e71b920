import type { Command } from '../../doors/commands/command.ts'

/** What operators do about themselves, about single transactions and about money that waits for a person. */
export const staffCommands: readonly Command[] = [
  {
    usage: 'operator create EMAIL [--password-file FILE]',
    does: 'Makes an operator. Without a file a password is made, and shown this once.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/operator.ts')).create(given),
  },
  {
    usage: 'operator list',
    does: 'Lists the operators and their tokens, revoked ones too.',
    run: async (given) => (await import('../../doors/commands/operator.ts')).list(given),
  },
  {
    usage: 'operator token EMAIL',
    does: 'Makes a token by which commands know the operator. It is shown this once.',
    details: `Give it to commands in OPERATOR_TOKEN, or in a file that only you can read, with --token-file FILE.
It is never an argument: everybody on this machine can read those.`,
    acts: true,
    run: async (given) => (await import('../../doors/commands/operator.ts')).token(given),
  },
  {
    usage: 'operator revoke TOKEN_ID',
    does: "Ends a token's life, at once.",
    acts: true,
    run: async (given) => (await import('../../doors/commands/operator.ts')).revoke(given),
  },
  {
    usage: 'transaction hold ID --reason TEXT',
    does: 'Stops a transaction for a person, and its refunds, as long as they are not planned. Audited.',
    details: 'The reason is kept in the audit and the history, in clear: nothing personal belongs there.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/staff.ts')).hold(given),
  },
  {
    usage: 'transaction release ID --reason TEXT [--pay-to ADDRESS_ID]',
    does: 'Lets a held transaction go on: what is free is exchanged, a payout that came back is ordered again.',
    details: `At a price of now where the agreed one is over. A payout above the limit still waits for its approvals.
--pay-to: another registered payout address, for B2B.`,
    acts: true,
    run: async (given) => (await import('../../doors/commands/staff.ts')).release(given),
  },
  {
    usage: 'transaction refund ID --reason TEXT [--amount AMOUNT] [--to FILE]',
    does: 'Gives back what has come and was not paid out, the way it came, less what sending it costs.',
    details: `AMOUNT is a decimal text in the currency that came in; without it all of it goes back.
--to: a refund that cannot go the way it came goes to another account or address of whoever paid. FILE has the account or
address, below it its BIC or memo (or an empty line), below it the account's holder. One above the limit waits for its approvals.`,
    acts: true,
    run: async (given) => (await import('../../doors/commands/staff.ts')).refund(given),
  },
  {
    usage: 'transaction cancel ID --reason TEXT',
    does: 'Ends a transaction in which no money is.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/staff.ts')).cancel(given),
  },
  {
    usage: 'payout list [--waiting]',
    does: 'Lists payouts and refunds that have not come to their end; with --waiting those that wait for an approval.',
    run: async (given) => (await import('../../doors/commands/payout.ts')).list(given),
  },
  {
    usage: 'payout approve ID',
    does: 'Approves a payout or refund above the limit. It leaves when two different operators have.',
    details: "ID is the payout's or its transaction's. Needs your token: see cambio help operator token.",
    acts: true,
    run: async (given) => (await import('../../doors/commands/payout.ts')).approve(given),
  },
  {
    usage: 'suspense list',
    does: 'Lists money that has come and belongs to no transaction.',
    run: async (given) => (await import('../../doors/commands/suspense.ts')).list(given),
  },
  {
    usage: 'suspense match DEPOSIT_ID TRANSACTION_ID --reason TEXT',
    does: 'Gives such money to the transaction that it was for, which goes on by its own rules.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/suspense.ts')).match(given),
  },
  {
    usage: 'suspense return DEPOSIT_ID --reason TEXT [--to FILE]',
    does: 'Sends such money back the way it came, less what sending it costs.',
    details: '--to: where that way failed, to another account of whoever paid. See cambio help transaction refund.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/suspense.ts')).giveBack(given),
  },
  {
    usage: 'suspense writeoff DEPOSIT_ID --reason TEXT',
    does: 'Keeps such money that is worth no more than sending it back would cost.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/suspense.ts')).writeOff(given),
  },
  {
    usage: 'rail list',
    does: 'Lists the ways in and out of money, and which of them credit nothing now, since when and why.',
    run: async (given) => (await import('../../doors/commands/rail.ts')).list(given),
  },
  {
    usage: 'rail resume NAME --reason TEXT',
    does: 'Credits what comes by a halted rail again, and what has come meanwhile.',
    details: 'A rail halts by itself when money that was final is taken back by its chain.',
    acts: true,
    run: async (given) => (await import('../../doors/commands/rail.ts')).resume(given),
  },
]
