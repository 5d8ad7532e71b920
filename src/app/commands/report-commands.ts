import type { Command } from '../../doors/commands/command.ts'

const reports = () => import('../../doors/commands/reports.ts')

const reportOf = (span: 'day' | 'week' | 'month', does: string): Command => ({
  usage: `report ${span} [--date D] [--partner ID] [--csv]`,
  does,
  details:
    'Orders, volume, fees and profit by partner, side and coin, in UTC; of today unless a day is given (2026-11-23).',
  run: async (input) => (await reports()).report(span)(input),
})

/** Commands that show orders and figures of all partners. */
export const reportCommands: readonly Command[] = [
  {
    usage:
      'transaction list [--status S] [--side S] [--email TEXT] [--partner ID] [--since T] [--until T] [--amount A] [--hash H] [--csv]',
    does: 'Lists transactions of all partners, the newest first. At most a thousand.',
    details:
      '--email takes a part of an address, three characters or more. --amount looks at the latest 100,000 transactions.',
    run: async (input) => (await reports()).listOrders(input),
  },
  reportOf('day', 'Reports on one day.'),
  reportOf('week', 'Reports on the week of a day, from its Monday.'),
  reportOf('month', 'Reports on the month of a day.'),
  {
    usage: 'journal export --month M [--format csv|ledger]',
    does: "Prints the ledger's entries of a month (2026-11): CSV, or plain text for Ledger and hledger.",
    run: async (input) => (await reports()).journal(input),
  },
]
