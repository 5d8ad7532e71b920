import type { Command } from '../../doors/commands/command.ts'

/** Prices: what the sources say, and closing a pair. */
export const marketCommands: readonly Command[] = [
  {
    usage: 'market show [PAIR]',
    does: 'Shows the price of each market pair, what every source says, and why a source is left out.',
    details: 'PAIR is two currencies, such as BTC/EUR. Ages are in milliseconds.',
    run: async (input) => (await import('../../doors/commands/market.ts')).show(input),
  },
  {
    usage: 'market halt PAIR --reason TEXT',
    does: 'Closes a pair for new prices, in every process within two seconds. Audited.',
    details: 'What was agreed at a price stays. The pair is closed in both directions, by any path.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/market.ts')).halt(input),
  },
  {
    usage: 'market resume PAIR --reason TEXT',
    does: 'Opens a pair that an operator has halted. A pair that halted by itself opens by itself. Audited.',
    acts: true,
    run: async (input) => (await import('../../doors/commands/market.ts')).resume(input),
  },
]
