import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { readConfig } from '../src/app/config/config.ts'
import { serviceUrlOf } from '../src/app/database.ts'
import { startEmbedded } from '../src/platform/db/embedded.ts'
import { loadSecrets } from '../src/platform/privacy/master-key.ts'
import type { InboxDone, InboxOrder } from './delivery-receiver.ts'
import type { WriterDone, WriterOrder } from './delivery-writer.ts'
import { type HelperProcess, startHelper } from './helper-process.ts'
import { makeDataDir, removeDataDir } from './own-exchange.ts'

const project = join(import.meta.dirname, '../..')

/** A service, its database, a process that writes events, and partners' endpoints: each a separate process. */
export type Scene = {
  servicePid: number
  databasePid: number
  writer: HelperProcess<WriterOrder, WriterDone>
  inbox: HelperProcess<InboxOrder, InboxDone>
  /** Where the endpoints are. */
  origin: string
  stop(): Promise<void>
}

/** Starts it all on an empty, durable database; partner 0 has one endpoint, `/ok`. */
export async function startScene(): Promise<Scene> {
  const dataDir = await makeDataDir()
  const server = await startEmbedded({ dataDir })
  const env = {
    ...process.env,
    DATABASE_URL: server.url,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    RATE_LIMITS: 'off',
  }
  const child = spawn(process.execPath, [join(project, 'bin/cambio'), 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!existsSync(join(dataDir, 'sandbox.json'))) await wait(20)

  const secrets = await loadSecrets(readConfig({ DATA_DIR: dataDir }).masterKeyFile, false)
  const writer = startHelper<WriterOrder, WriterDone>('delivery-writer.js')
  await writer.ask({ kind: 'open', url: serviceUrlOf(server.url, secrets), ownerUrl: server.url, dataDir })
  const inbox = startHelper<InboxOrder, InboxDone>('delivery-receiver.js')
  const { origin } = await inbox.ask({ kind: 'listen' })
  await writer.ask({ kind: 'partners', urls: [`${origin}/ok`] })
  return {
    servicePid: child.pid ?? 0,
    databasePid: server.pid,
    writer,
    inbox,
    origin,
    stop: async () => {
      writer.end()
      inbox.end()
      child.kill('SIGTERM')
      await ended
      await server.stop()
      await removeDataDir(dataDir)
    },
  }
}
