import type { Config } from './config/config.ts'
import { ConfigError, type SettingProblem } from './config/config.ts'
import { checkDatabase } from '../exchange/checks/doctor-database.ts'
import type { Composition } from './compose.ts'
import { openLive } from './live.ts'
import type { OpenPlugIn } from './plug-in.ts'

/** What the mode connects the exchange to. The sandbox's code is loaded in the sandbox only. */
export async function plugInsFor({ mode }: Pick<Config, 'mode'>): Promise<OpenPlugIn[]> {
  if (mode === 'live') return [openLive]
  const { openSandbox } = await import('../sandbox/open.ts')
  return [openLive, openSandbox]
}

/**
 * Refuses, with every reason at once, to run an exchange with real money that nobody could use, or whose database is not fit for it.
 * `readConfig` has refused settings that are wrong before.
 */
export async function refuseUnready({ config, ctx }: Pick<Composition, 'config' | 'ctx'>): Promise<void> {
  if (config.mode !== 'live') return
  const missing: SettingProblem[] = [
    ...(ctx.rails.all.some(({ deposit }) => deposit) ? [] : [none('a rail that takes money in')]),
    ...(ctx.rails.all.some(({ payout }) => payout) ? [] : [none('a rail that pays out')]),
    ...(!config.file?.markets && ctx.market.markets.length === 0 ? [none('a source of prices')] : []),
    ...(await checkDatabase(ctx))
      .filter(({ state }) => state === 'fail')
      .map(({ check, message }): SettingProblem => ['DATABASE_URL', `${check}: ${message.replace(/\.$/, '')}`]),
  ]
  if (missing.length > 0) throw new ConfigError(missing)
}

const none = (part: string): SettingProblem => ['MODE', `live mode needs ${part}, and none is set up`]
