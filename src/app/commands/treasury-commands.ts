import type { Command } from '../../doors/commands/command.ts'

/** Commands of the treasury: balances, exposure, profit and loss, hedges. */
export const treasuryCommands: readonly Command[] = [
  {
    usage: 'balance list',
    does: 'Lists what each custody account holds, what is reserved, on its way and available.',
    details: `on_its_way: seen by a rail and not final (incoming), or given to a rail and not confirmed (outgoing).
available: the balance less what is reserved for payouts.`,
    run: async (input) => (await import('../../doors/commands/balance.ts')).list(input),
  },
  {
    usage: 'balance open --account A --asset X --amount N --reason TEXT',
    does: 'Books what an account held before the exchange began, as capital. Audited.',
    details: `A is a custody account of "balance list" or "rail list", X an asset such as BTC-BTC, N a decimal in whole units.
Refuses an account whose opening balance in this asset is booked already.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/balance.ts')).open(input),
  },
  {
    usage: 'balance charge --account A --asset X --amount N --reason TEXT',
    does: 'Books what a processor or bank charged on an account. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/balance.ts')).charge(input),
  },
  {
    usage: 'treasury show',
    does: "Shows exposure, balances and today's profit and loss.",
    run: async (input) => (await import('../../doors/commands/treasury.ts')).show(input),
  },
  {
    usage: 'treasury exposure',
    does: 'Lists what the house holds or owes of each currency, at the market price.',
    details: 'Without capital, which is listed separately. Negative: the house owes it and loses when its price rises.',
    run: async (input) => (await import('../../doors/commands/treasury.ts')).exposure(input),
  },
  {
    usage: 'treasury pnl [--since DAY] [--until DAY] [--partner ID]',
    does: 'Lists the profit and loss in EUR by day (UTC) and asset. Positive is a gain.',
    details: `Both days are included; without them, today. total is the sum of the other columns, and over all rows it is the
change of the accounts of the house at market prices.
--partner: what was booked for one partner's transactions, without revaluation and hedging.`,
    run: async (input) => (await import('../../doors/commands/treasury.ts')).pnl(input),
  },
  {
    usage: 'hedge list [--open]',
    does: 'Lists hedges, the newest first, or only those that have not ended.',
    details: `sent: it may have reached the venue. unknown: the venue does not show it; it is looked for and never sent again.`,
    run: async (input) => (await import('../../doors/commands/hedge.ts')).list(input),
  },
  {
    usage: 'hedge propose',
    does: 'Looks at the exposure now and writes down the hedges that it needs.',
    details: 'In the mode auto they are sent within the caps. While a hedge of a pair is open, there is no other.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/hedge.ts')).propose(input),
  },
  {
    usage: 'hedge approve ID',
    does: 'Approves a proposed hedge. In live mode it needs two different operators, each with a token.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/hedge.ts')).approve(input),
  },
  {
    usage: 'hedge cancel ID --reason TEXT',
    does: 'Cancels a hedge that was not sent. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/hedge.ts')).cancel(input),
  },
  {
    usage: 'hedge resolve ID --reason TEXT',
    does: 'Ends an unknown hedge whose order does not exist at the venue. Audited.',
    details: `Look at the venue's own list of orders and trades first: its client order id is in "hedge list".
Refused until ten minutes after it was sent.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/hedge.ts')).resolve(input),
  },
  {
    usage: 'rebalance list',
    does: 'Lists transfers between custody accounts, the newest first.',
    run: async (input) => (await import('../../doors/commands/rebalance.ts')).list(input),
  },
  {
    usage: 'rebalance propose [--from A] [--to DESTINATION] [--asset X] [--amount N] [--reason TEXT]',
    does: 'Proposes a transfer to a listed destination, or without flags those that the levels call for.',
    details: 'Destinations and levels are in the section treasury of CONFIG_FILE. Two operators approve each transfer.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/rebalance.ts')).propose(input),
  },
  {
    usage: 'rebalance approve ID',
    does: 'Approves a transfer as the operator whose token is given. Two different operators must.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/rebalance.ts')).approve(input),
  },
  {
    usage: 'rebalance sent ID --proof TEXT [--fee N] [--fee-asset X]',
    does: 'Books that an approved transfer was sent, and what sending took. Audited.',
    details: '--proof: the hash, or the line of the statement. --fee-asset is the transferred asset unless given.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/rebalance.ts')).sent(input),
  },
  {
    usage: 'rebalance arrived ID --proof TEXT',
    does: 'Books that a transfer has arrived. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/rebalance.ts')).arrived(input),
  },
  {
    usage: 'rebalance cancel ID --reason TEXT',
    does: 'Cancels a transfer that was not sent. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/rebalance.ts')).cancel(input),
  },
]
