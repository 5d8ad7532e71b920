import { readConfig } from './app/config/config.ts'
import { startService } from './app/start.ts'
import { createLog } from './platform/lib/log.ts'

/** Serves until a signal ends it. Gives the exit code. */
export async function serve(): Promise<number> {
  const config = readConfig()
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn({}, warning)

  const signaled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
  const service = await startService(config, log)
  process.stdout.write(service.welcome)
  await signaled
  await service.stop()
  return 0
}
