import type { Config } from './config/config.ts'
import { ConfigError } from './config/config.ts'
import type { Composition } from './compose.ts'
import { openLive } from './live.ts'
import type { OpenPlugIn } from './plug-in.ts'

/** What the mode connects the exchange to. The sandbox's code is loaded in the sandbox only. */
export async function plugInsFor({ mode }: Pick<Config, 'mode'>): Promise<OpenPlugIn[]> {
  if (mode === 'live') return [openLive]
  const { openSandbox } = await import('../sandbox/open.ts')
  return [openLive, openSandbox]
}

/** Refuses, with every reason at once, to run an exchange with real money that nobody could use. */
export function refuseUnready({ config, ctx }: Pick<Composition, 'config' | 'ctx'>): void {
  if (config.mode !== 'live') return
  const missing = [
    !ctx.rails.all.some(({ deposit }) => deposit) ? 'a rail that takes money in' : [],
    !ctx.rails.all.some(({ payout }) => payout) ? 'a rail that pays out' : [],
    ctx.market.markets.length === 0 ? 'a source of prices' : [],
  ].flat()
  if (missing.length > 0)
    throw new ConfigError(missing.map((one) => `MODE: live mode needs ${one}, and none is set up.`))
}
