import { type HaltedMarket, haltMarket, resumeMarket, showMarket, whyNotResumed } from '../operations/halt-market.ts'
import type { Action } from './action.ts'
import { nothing } from './nothing.ts'
import { field } from './input.ts'
import { text } from './values.ts'

const common = { permission: 'system.halt', needsReason: 'clear' } as const

const halt: Action<undefined> = {
  ...common,
  subject: nothing('market'),
  fields: [field('pair', text('PAIR'), { argument: 'PAIR', help: 'Two currencies, as in BTC/EUR.', isRequired: true })],
  name: 'halt',
  title: 'Halt a pair',
  does: 'Closes a pair for new prices, in every process within two seconds. Audited.',
  details: 'What was agreed at a price stays. The pair is closed in both directions, by any path.',
  run: async (ctx, _subject, { reason, text: typed }, { actor }) => {
    const { pair } = await haltMarket(ctx, typed('pair') ?? '', { reason, actor })
    return { said: `Halted: ${pair}.`, json: { pair, state: 'halted' }, text: `Halted: ${pair}.` }
  },
}

const resume: Action<HaltedMarket> = {
  ...common,
  subject: { noun: 'market', argument: 'PAIR', field: 'pair', find: showMarket },
  fields: [],
  name: 'resume',
  title: 'Resume',
  does: 'Opens a pair that an operator has halted. A pair that halted by itself opens by itself. Audited.',
  allowedNow: (_ctx, market) => whyNotResumed(market),
  run: async (ctx, { pair }, { reason }, { actor }) => {
    await resumeMarket(ctx, pair, { reason, actor })
    return { said: `Resumed: ${pair}.`, json: { pair, state: 'resumed' }, text: `Resumed: ${pair}.` }
  },
}

/** What an operator may do with a pair of currencies, and with one that is halted. */
export const marketActions: readonly Action<undefined>[] = [halt]
export const haltedMarketActions: readonly Action<HaltedMarket>[] = [resume]
