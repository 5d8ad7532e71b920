import type { Command } from '../../doors/commands/command.ts'

/** Commands that compare the books with what others say they hold. */
export const reconciliationCommands: readonly Command[] = [
  {
    usage: 'reconcile [--date D]',
    does: 'Compares custody accounts with their statements, item by item, and stores what differs as breaks.',
    details:
      'Of the last 30 days, or of one day (2026-11-23). Exits with 1 if there is a break. What is only on its way is not one.',
    run: async (input) => (await import('../../doors/commands/reconciliation.ts')).run(input),
  },
  {
    usage: 'break list [--all]',
    does: 'Lists open breaks, or all of them.',
    run: async (input) => (await import('../../doors/commands/reconciliation.ts')).list(input),
  },
  {
    usage: 'break show ID',
    does: 'Shows a break.',
    run: async (input) => (await import('../../doors/commands/reconciliation.ts')).show(input),
  },
  {
    usage: 'break resolve ID --reason TEXT',
    does: 'Marks a break as explained. It comes back if its amount changes. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/reconciliation.ts')).resolve(input),
  },
  {
    usage: 'close DATE',
    does: 'Closes a day: freezes the balance of every account at its end (UTC). Shows the figures of a closed day.',
    details: 'Days are closed in order. What is booked for a closed day later belongs to the day that is closed next.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/reconciliation.ts')).close(input),
  },
]
