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
import { type AnswerCheck, answerCheck } from './answers.ts'
import { testDatabase } from './database.ts'
import type { Json } from './openapi.ts'
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
  /** Calls the interface: `api('/v1/status')`. The answer is held against the interface's own document. */
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
  const database = await testDatabase()
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'cambio-exchange-'))
  const settings = {
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    DB_POOL_SIZE: '6',
  }
  const config = readConfig({ ...settings, ...env })
  const { plugIns, worldOf } = hurriedSandbox(blockMs)
  const service = await startService(config, createLog(config.logLevel), plugIns)
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

const checks = new Map<string, Promise<AnswerCheck>>()

/** The check of an exchange's answers, by the document that it serves. */
function checkOf(origin: string): Promise<AnswerCheck> {
  const known = checks.get(origin)
  if (known) return known
  const made = (async () => answerCheck((await (await fetch(`${origin}/openapi.json`)).json()) as Json))()
  checks.set(origin, made)
  return made
}

/** Asks a service, and holds its answer against the document that it serves. */
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
  const check = await checkOf(new URL(url).origin)
  check({
    method,
    url: url.slice(new URL(url).origin.length),
    status: answer.status,
    contentType: answer.headers.get('content-type') ?? '',
    text,
  })
  return { status: answer.status, headers: answer.headers, body: (text === '' ? {} : JSON.parse(text)) as Body }
}
