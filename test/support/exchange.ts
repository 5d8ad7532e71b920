import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readConfig } from '../../src/app/config/config.ts'
import { createLog } from '../../src/platform/lib/log.ts'
import { type Service, startService } from '../../src/app/start.ts'
import { openLive } from '../../src/app/live.ts'
import type { OpenPlugIn } from '../../src/app/plug-in.ts'
import { openSandbox } from '../../src/sandbox/open.ts'
import { readSandbox, type Sandbox } from '../../src/sandbox/sandbox-file.ts'
import type { World } from '../../src/sandbox/world.ts'
import { answerCheck } from './answers.ts'
import { seededDatabase, type TestDatabase, testDatabase } from './database.ts'
import { letExchange } from './policies.ts'

/** What the API answered: its status, its headers, its JSON. */
export type Answer<Body = Record<string, unknown>> = { status: number; headers: Headers; body: Body }

/** How a request differs from a GET with the first partner's secret key. */
export type Asking = {
  method?: string
  /** Sent as JSON. A text is sent as it is. */
  body?: unknown
  /** Another key; null sends none. */
  key?: string | null
  headers?: Record<string, string>
}

/** A whole exchange under test, in this process, on its own database. */
export type Exchange = {
  url: string
  sandbox: Sandbox
  service: Service
  /** The institutions that the sandbox plays. */
  world: World
  ownerUrl: string
  dataDir: string
  /** Calls the interface: `api('/v1/status')`. The answer is held against openapi.yaml. */
  api<Body = Record<string, unknown>>(path: string, asking?: Asking): Promise<Answer<Body>>
  stop(): Promise<void>
}

/** How often sandbox chains make a block, in milliseconds of real time. */
export type Beat = { blockMs: number }

/** Four blocks a second, for tests that only wait for chains. */
const hurried: Beat = { blockMs: 250 }

/** A block a second, as everywhere else, for tests that must catch something between two blocks. */
export const steady: Beat = { blockMs: 1_000 }

/**
 * Starts the service as `npm start` would, on free ports and a fresh database. `env` are further settings; the sandbox chains are
 * in a hurry unless the test is not. Unverified customers may exchange more than what ships allows, unless the test is about that.
 */
export async function startExchange(
  env: Record<string, string> = {},
  { blockMs }: Beat = hurried,
  { policies }: { policies: 'shipped' | 'high limits' } = { policies: 'high limits' },
): Promise<Exchange> {
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'cambio-exchange-'))
  const isUsual = seedsOf.every((name) => env[name] === undefined)
  const database = isUsual ? await seededDatabase(seed, dataDir) : await testDatabase()
  const { plugIns, worldOf } = hurriedSandbox(blockMs)
  const service = await startOn(database, dataDir, env, plugIns)
  const sandbox = await readSandbox(dataDir)
  if (!sandbox) throw new Error('The sandbox has written no sandbox.json.')
  if (policies === 'high limits') await letExchange(service.composition.ctx)

  return {
    url: service.url,
    sandbox,
    service,
    world: worldOf(),
    ownerUrl: database.ownerUrl,
    dataDir,
    api: (path, asking = {}) => callService(service.url + path, { key: sandbox.secret_key, ...asking }),
    stop: async () => {
      await service.stop()
      if (env.DATA_DIR === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Settings on which depends what a sandbox is seeded with, or where. */
const seedsOf = ['CONFIG_FILE', 'DATABASE_URL', 'DATA_DIR', 'MARKET_SEED', 'MASTER_KEY_FILE', 'MODE', 'ROLES']

async function seed(database: TestDatabase, dataDir: string): Promise<void> {
  await (await startOn(database, dataDir, {}, hurriedSandbox(hurried.blockMs).plugIns)).stop()
}

function startOn(
  { ownerUrl }: TestDatabase,
  dataDir: string,
  env: Record<string, string>,
  plugIns: OpenPlugIn[],
): Promise<Service> {
  const settings = { DATABASE_URL: ownerUrl, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', DB_POOL_SIZE: '6' }
  const config = readConfig({ ...settings, ...env })
  return startService(config, createLog(config.logLevel), plugIns)
}

/** What a sandbox is composed of, with chains that make blocks as often as told; `worldOf` gives its world once it is open. */
export function hurriedSandbox(blockMs: number | undefined): { plugIns: OpenPlugIn[]; worldOf(): World } {
  let world: World | undefined
  const open: OpenPlugIn = async (foundation) => {
    const sandbox = await openSandbox(foundation)
    world = sandbox.world
    if (blockMs !== undefined) world.blockMs = blockMs
    return sandbox
  }
  return {
    plugIns: [openLive, open],
    worldOf: () => {
      if (!world) throw new Error('The sandbox is not open.')
      return world
    },
  }
}

/** Asks a service, and holds its answer against openapi.yaml. */
export async function callService<Body>(
  url: string,
  { method: given, body, key, headers }: Asking,
): Promise<Answer<Body>> {
  const method = given ?? (body === undefined ? 'GET' : 'POST')
  const answer = await fetch(url, {
    method,
    headers: {
      ...(key ? { 'x-api-key': key } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  answerCheck()({
    method,
    url: url.slice(new URL(url).origin.length),
    status: answer.status,
    contentType: answer.headers.get('content-type') ?? '',
    text,
  })
  return { status: answer.status, headers: answer.headers, body: (text === '' ? {} : JSON.parse(text)) as Body }
}
