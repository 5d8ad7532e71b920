import type { Command } from '../../doors/commands/command.ts'

/** Policies: what an operator may change without a deploy. */
export const policyCommands: readonly Command[] = [
  {
    usage: 'policy list [--partner ID]',
    does: 'Lists the kinds of policies, with the version of each that is in force.',
    details: 'With --partner: what holds for the exchanges of this partner and its customers.',
    run: async (input) => (await import('../../doors/commands/policy.ts')).list(input),
  },
  {
    usage: 'policy show KIND [--at TIME] [--partner ID]',
    does: 'Shows a policy as it is in force, or as it is at another time.',
    details: `KIND is fees, b2b, limits, risk, countries, validity, slippage, approvals, caps, screening or retention.
--at is a day or a time in UTC (2027-01-31, 2027-01-31T12:00:00Z).`,
    run: async (input) => (await import('../../doors/commands/policy.ts')).show(input),
  },
]
