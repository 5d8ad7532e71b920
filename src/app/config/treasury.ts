import type { HedgingSettings, RebalancingDestination, RebalancingSettings } from '../../exchange/settings.ts'
import type { TreasuryFile } from '../../exchange/treasury/settings.ts'
import { parseDuration } from '../../platform/lib/duration.ts'

/** What the section needs that its schema cannot say. */
export function treasuryProblems(content: unknown): { path: string; message: string }[] {
  const { treasury } = content as { treasury?: Partial<TreasuryFile> }
  return [...hedgingProblems(treasury), ...levelProblems(treasury)]
}

/** Destinations that levels name must be listed. */
function levelProblems(treasury: Partial<TreasuryFile> | undefined): { path: string; message: string }[] {
  const { destinations, levels } = treasury ?? {}
  if (!Array.isArray(levels)) return []
  const listed = Array.isArray(destinations) ? (destinations as readonly RebalancingDestination[]) : []
  return (levels as NonNullable<TreasuryFile['levels']>).flatMap((level, index) => [
    ...(level.surplus_to === undefined ||
    listed.some(({ name, asset }) => name === level.surplus_to && asset === level.asset)
      ? []
      : [{ path: `treasury.levels[${index}].surplus_to`, message: 'is not a listed destination of this asset' }]),
    ...(level.refill_from === undefined ||
    listed.some(({ account, asset }) => account === level.account && asset === level.asset)
      ? []
      : [
          {
            path: `treasury.levels[${index}].account`,
            message: 'is refilled, and no listed destination of this asset',
          },
        ]),
  ])
}

function hedgingProblems(treasury: Partial<TreasuryFile> | undefined): { path: string; message: string }[] {
  if (
    typeof treasury !== 'object' ||
    treasury === null ||
    (treasury.hedging !== 'auto' && treasury.hedging !== 'propose')
  )
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

/** Between which accounts the file lets money move; undefined without a destination. */
export function rebalancingOf({ treasury }: { treasury?: TreasuryFile }): RebalancingSettings | undefined {
  const { destinations = [], levels = [] } = treasury ?? {}
  if (destinations.length === 0) return undefined
  return {
    destinations,
    levels: levels.map(({ account, asset, target, minimum, maximum, ...ways }) => ({
      account,
      asset,
      target,
      minimum,
      maximum,
      surplusTo: ways.surplus_to,
      refillFrom: ways.refill_from,
    })),
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
