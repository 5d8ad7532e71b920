import { readConfig } from '../../src/app/config/config.ts'
import { createLog } from '../../src/platform/lib/log.ts'
import { type Service, startService } from '../../src/app/start.ts'
import { type Exchange, hurriedSandbox } from './exchange.ts'

/**
 * Starts one more service on an exchange's database and folder, as a second process would be: the one restarted, or beside it. Its
 * chains make blocks as often as the first one's: a block's number follows from the time and that.
 */
export async function startTwin(
  { ownerUrl, dataDir, world }: Exchange,
  env: Record<string, string> = {},
): Promise<Service> {
  const settings = {
    DATABASE_URL: ownerUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    DB_POOL_SIZE: '6',
    ...env,
  }
  const config = readConfig(settings)
  return startService(config, createLog(config.logLevel), hurriedSandbox(world.blockMs).plugIns)
}
