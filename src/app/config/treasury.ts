import type { HedgingSettings } from '../../exchange/settings.ts'
import type { TreasuryFile } from '../../exchange/treasury/settings.ts'
import { parseDuration } from '../../platform/lib/duration.ts'

/** What `hedging` needs unless it is off, and an exposure that cannot be hedged. */
export function treasuryProblems(content: unknown): { path: string; message: string }[] {
  const { treasury } = content as { treasury?: Partial<TreasuryFile> }
  if (typeof treasury !== 'object' || treasury === null || treasury.hedging === undefined || treasury.hedging === 'off')
    return []
  const needed = ['venue', 'api_key', 'secret', 'pairs'] as const
  const missing = needed.filter((name) => treasury[name] === undefined)
  const pairs = Array.isArray(treasury.pairs) ? treasury.pairs : []
  const bases = pairs.map((pair) => String(pair).split('/')[0])
  const repeated = bases.findIndex((base, index) => bases.indexOf(base) < index)
  return [
    ...missing.map((name) => ({ path: `treasury.${name}`, message: 'is required unless hedging is off' })),
    ...(repeated === -1
      ? []
      : [{ path: `treasury.pairs[${repeated}]`, message: 'hedges a currency that an earlier pair hedges' }]),
  ]
}

/** How the file says that the house hedges; undefined where it does not. */
export function hedgingOf({ treasury }: { treasury?: TreasuryFile }): HedgingSettings | undefined {
  if (treasury === undefined || treasury.hedging === 'off' || treasury.venue === undefined) return undefined
  const { hedging, venue, account, pairs = [], assets = {}, caps = {}, bounds = {} } = treasury
  return {
    isAutomatic: hedging === 'auto',
    venue: account ?? venue,
    pairs: pairs.map((pair) => {
      const [base = '', quote = ''] = pair.split('/')
      return { base, quote }
    }),
    assets,
    everyMs: parseDuration(treasury.every ?? 'PT10S'),
    slippageBasisPoints: basisPointsOf(treasury.slippage ?? '0.5%'),
    expiresAfterMs: parseDuration(treasury.expires_after ?? 'PT15M'),
    bounds: Object.fromEntries(
      Object.entries(bounds).map(([ticker, { target = '0', minimum, lot }]) => [ticker, { target, minimum, lot }]),
    ),
    capPerOrder: centsOf(caps.order ?? '10000'),
    capPerDay: centsOf(caps.day ?? '100000'),
  }
}

const centsOf = (text: string): bigint => {
  const [whole = '', digits = ''] = text.split('.')
  return BigInt(whole + digits.slice(0, 2).padEnd(2, '0'))
}

const basisPointsOf = (percent: string): number => {
  const [whole = '', digits = ''] = percent.replace('%', '').split('.')
  return Number.parseInt(whole + digits.padEnd(2, '0'), 10)
}
