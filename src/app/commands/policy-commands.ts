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
  {
    usage: 'policy propose KIND FILE [--effective TIME] --reason TEXT [--partner ID] [--days N]',
    does: 'Proposes a policy: prints what changes, and what the past would have been under it.',
    details: `FILE holds the whole document as JSON, as policy show prints it; null gives a partner the policy of the house again.
It holds at once, or from --effective on. In live mode, and where the policy approvals says so, a second operator approves it.
The dry run replays the last 30 days, or --days N. A document that is invalid or would lose money is refused: exit code 1.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/policy.ts')).proposeFile(input),
  },
  {
    usage: 'policy approve ID',
    does: 'Approves a proposed policy of another operator.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/policy.ts')).approve(input),
  },
  {
    usage: 'policy reject ID',
    does: 'Rejects a proposed policy, or one that is approved and not effective yet.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/policy.ts')).reject(input),
  },
  {
    usage: 'policy history KIND',
    does: 'Lists every version of a policy: who proposed and approved it, when and why.',
    run: async (input) => (await import('../../doors/commands/policy.ts')).history(input),
  },
  {
    usage: 'policy export',
    does: 'Prints every version of every policy with its document, as JSON.',
    run: async (input) => (await import('../../doors/commands/policy.ts')).exportAll(input),
  },
]
