import type { Command } from '../../doors/commands/command.ts'

/** Commands of operators: accounts, transactions, payouts, suspense, rails. */
export const staffCommands: readonly Command[] = [
  {
    usage: 'operator create EMAIL [--role ROLE] [--name N] [--password-file FILE]',
    does: 'Creates an operator. Without a file a password is generated and shown once.',
    details:
      'ROLE is viewer, support, finance, compliance or admin (the default). Operators sign in at /console/sign-in.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/operator.ts')).create(input),
  },
  {
    usage: 'operator role EMAIL ROLE',
    does: 'Gives an operator another role, at once in every session.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/operator.ts')).role(input),
  },
  {
    usage: 'operator disable EMAIL',
    does: "Ends an operator's access: sessions and tokens stop working at once.",
    acts: true,
    run: async (input) => (await import('../../doors/commands/operator.ts')).disable(input),
  },
  {
    usage: 'operator list',
    does: 'Lists operators and their tokens, including revoked ones.',
    run: async (input) => (await import('../../doors/commands/operator.ts')).list(input),
  },
  {
    usage: 'operator token EMAIL',
    does: 'Creates a token that authenticates the operator to commands. It is shown once.',
    details: `Pass it in OPERATOR_TOKEN, or with --token-file FILE in a file that only you can read.
It is never an argument, because other users of the machine can read arguments.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/operator.ts')).token(input),
  },
  {
    usage: 'operator revoke TOKEN_ID',
    does: 'Revokes an operator token at once.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/operator.ts')).revoke(input),
  },
  {
    usage: 'portal invite EMAIL --partner ID [--role ROLE] [--name N]',
    does: 'Invites somebody of a partner to the portal, by an e-mail with a link.',
    details: 'ROLE is admin (the default) or member. The link works once, for 72 hours, and is shown, too.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/portal.ts')).invite(input),
  },
  {
    usage: 'portal list --partner ID',
    does: 'Lists the people of a partner who may use the portal.',
    run: async (input) => (await import('../../doors/commands/portal.ts')).list(input),
  },
  {
    usage: 'portal disable EMAIL --partner ID',
    does: "Ends somebody's access to the portal, at once in every session.",
    acts: true,
    run: async (input) => (await import('../../doors/commands/portal.ts')).disable(input),
  },
  {
    usage: 'transaction hold ID --reason TEXT',
    does: 'Puts a transaction on hold for review. Audited.',
    details: `Also stops refunds that are not prepared yet.\nThe reason is stored unencrypted in the audit and the history: leave out personal data.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/staff.ts')).hold(input),
  },
  {
    usage: 'transaction release ID --reason TEXT [--pay-to ADDRESS_ID]',
    does: 'Resumes a transaction that is on hold: exchanges available funds, repeats a returned payout.',
    details: `If the agreed price has expired, the current one applies. Payouts above the limit still need approvals.
--pay-to: for B2B, another registered payout address.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/staff.ts')).release(input),
  },
  {
    usage: 'transaction refund ID --reason TEXT [--amount AMOUNT] [--to FILE]',
    does: 'Refunds what was deposited and not paid out, to where it came from, less the network cost.',
    details: `AMOUNT is a decimal in the deposit's currency; without it everything is refunded.
--to: sends a refund that failed to another account or address of the payer. FILE has up to three lines: the account or
address, its BIC or memo (may be empty), the account holder. Refunds above the limit need approvals.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/staff.ts')).refund(input),
  },
  {
    usage: 'transaction cancel ID --reason TEXT',
    does: 'Cancels a transaction that has not been paid.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/staff.ts')).cancel(input),
  },
  {
    usage: 'payout list [--waiting]',
    does: 'Lists open payouts and refunds; with --waiting those that wait for approval.',
    run: async (input) => (await import('../../doors/commands/payout.ts')).list(input),
  },
  {
    usage: 'payout approve ID',
    does: 'Approves a payout or refund above the limit. It is sent once two different operators have approved it.',
    details: "ID is the payout's or its transaction's. Needs your operator token. See: cambio help operator token",
    acts: true,
    run: async (input) => (await import('../../doors/commands/payout.ts')).approve(input),
  },
  {
    usage: 'suspense list',
    does: 'Lists deposits that belong to no transaction.',
    run: async (input) => (await import('../../doors/commands/suspense.ts')).list(input),
  },
  {
    usage: 'suspense match DEPOSIT_ID TRANSACTION_ID --reason TEXT',
    does: 'Assigns a deposit in suspense to a transaction, which then continues by the usual rules.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/suspense.ts')).match(input),
  },
  {
    usage: 'suspense return DEPOSIT_ID --reason TEXT [--to FILE]',
    does: 'Returns a deposit in suspense to where it came from, less the network cost.',
    details: '--to: if that failed, another account of the payer. See: cambio help transaction refund',
    acts: true,
    run: async (input) => (await import('../../doors/commands/suspense.ts')).giveBack(input),
  },
  {
    usage: 'suspense writeoff DEPOSIT_ID --reason TEXT',
    does: 'Writes off a deposit in suspense that is worth no more than sending it back would cost.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/suspense.ts')).writeOff(input),
  },
  {
    usage: 'rail list',
    does: 'Lists rails, and which of them are halted, since when, why and by whom.',
    run: async (input) => (await import('../../doors/commands/rail.ts')).list(input),
  },
  {
    usage: 'rail resume NAME --reason TEXT',
    does: 'Resumes crediting on a rail that halted by itself, including what arrived in the meantime.',
    details: 'A rail halts automatically when its chain reverses a final deposit. See also: cambio help resume rail',
    acts: true,
    run: async (input) => (await import('../../doors/commands/rail.ts')).resume(input),
  },
]
