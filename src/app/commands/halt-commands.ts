import type { Command } from '../../doors/commands/command.ts'

type Scope = { usage: string; scope: 'all' | 'payouts' | 'rail' | 'asset'; stops: string; details: string }

const scopes: Scope[] = [
  {
    usage: 'all',
    scope: 'all',
    stops: 'all new orders and every payout',
    details: 'Estimates and new orders are refused. Money that arrives is recorded and booked.',
  },
  {
    usage: 'payouts',
    scope: 'payouts',
    stops: 'every payout and refund',
    details: 'Orders continue; what they pay out waits.',
  },
  {
    usage: 'rail NAME',
    scope: 'rail',
    stops: 'crediting and payouts on one rail',
    details: 'What only this rail serves is not offered. Money that arrives is recorded, and credited after the halt.',
  },
  {
    usage: 'asset ASSET',
    scope: 'asset',
    stops: 'exchanges and payouts of one asset',
    details: 'ASSET is a currency on a network, such as USDT-TRX or EUR-EUR.',
  },
]

/** Stopping the exchange, or a part of it, and starting it again. */
export const haltCommands: readonly Command[] = [
  ...scopes.map(({ usage, scope, stops, details }): Command => ({
    usage: `halt ${usage} --reason TEXT`,
    does: `Stops ${stops}, at once in every process. Audited.`,
    details: `${details}\nWaits for payments that are being submitted; no other leaves.`,
    acts: true,
    run: async (input) => (await import('../../doors/commands/halt.ts')).haltScope(scope, input),
  })),
  ...scopes.map(({ usage, scope, stops }): Command => ({
    usage: `resume ${usage} --reason TEXT`,
    does: `Resumes ${stops}, once two different operators have run this. Audited.`,
    details: 'Needs your operator token. See: cambio help operator token',
    acts: true,
    run: async (input) => (await import('../../doors/commands/halt.ts')).resumeScope(scope, input),
  })),
]
