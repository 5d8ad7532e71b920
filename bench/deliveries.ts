import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { readConfig } from '../src/config.ts'
import { serviceUrlOf } from '../src/database.ts'
import { startEmbedded } from '../src/db/embedded.ts'
import { loadSecrets } from '../src/privacy/master-key.ts'
import type { PostsOrder } from './delivery-posts.ts'
import type { InboxDone, InboxOrder } from './delivery-receiver.ts'
import type { WriterDone, WriterOrder } from './delivery-writer.ts'
import { type HelperProcess, startHelper } from './helper-process.ts'
import { type Line, line } from './line.ts'
import { makeDataDir, removeDataDir } from './own-exchange.ts'
import { size } from './size.ts'

const project = join(import.meta.dirname, '../..')

/** A service, a process that writes events beside it, and partners' endpoints. */
type Scene = {
  pid: number
  writer: HelperProcess<WriterOrder, WriterDone>
  inbox: HelperProcess<InboxOrder, InboxDone>
  origin: string
  stop(): Promise<void>
}

async function startScene(): Promise<Scene> {
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
  while (!(await readFile(join(dataDir, 'sandbox.json'), 'utf8').catch(() => '')).includes('http://')) await wait(20)

  const secrets = await loadSecrets(readConfig({ DATA_DIR: dataDir }).masterKeyFile, false)
  const writer = startHelper<WriterOrder, WriterDone>('delivery-writer.js')
  await writer.ask({ kind: 'open', url: serviceUrlOf(server.url, secrets), ownerUrl: server.url, dataDir })
  const inbox = startHelper<InboxOrder, InboxDone>('delivery-receiver.js')
  const { origin } = await inbox.ask({ kind: 'listen' })
  return {
    pid: child.pid ?? 0,
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

const deliveriesARound = size(12_000, 200)
const bodyBytes = 2_600
const rounds = size(2, 1)

/**
 * Signed deliveries a second out of the table to one endpoint, attempts recorded, beside a bare loop that posts as many bytes to
 * the same program over as many kept connections: 0.35 is aimed at.
 */
async function throughput({ pid, writer, inbox, origin }: Scene): Promise<Line> {
  const best = { ours: 0, limit: 0 }
  const cost = { ours: Infinity, limit: Infinity }
  const posts = startHelper<PostsOrder, { count: number; ms: number }>('delivery-posts.js')
  for (let round = 0; round < rounds; round += 1) {
    await writer.ask({ kind: 'status', index: 0, status: 'paused' })
    await wait(2_500)
    await inbox.ask({ kind: 'forget' })
    await writer.ask({ kind: 'write', partners: [0], count: deliveriesARound, together: 50, perSecond: 1_000_000 })
    while ((await writer.ask({ kind: 'unplaced' })).count > 0) await wait(100)
    const usedBefore = await cpuMs(pid)
    await writer.ask({ kind: 'status', index: 0, status: 'active' })
    const { at } = await inbox.ask({ kind: 'wait', events: deliveriesARound, ms: 120_000 })
    const times = at.map(([, time]) => time)
    const [first = 0, last = 0] = [times[0], times.at(-1)]
    best.ours = Math.max(best.ours, (times.length * 1_000) / (last - first))
    cost.ours = Math.min(cost.ours, ((await cpuMs(pid)) - usedBefore) / deliveriesARound)
    await wait(1_000)
    const bareBefore = await cpuMs(posts.pid)
    const bare = await posts.ask({ url: `${origin}/ok`, bytes: bodyBytes, connections: 16, ms: size(4_000, 200) })
    best.limit = Math.max(best.limit, (bare.count * 1_000) / bare.ms)
    cost.limit = Math.min(cost.limit, ((await cpuMs(posts.pid)) - bareBefore) / bare.count)
  }
  posts.end()
  const micro = (ms: number) => Math.round(ms * 1_000)
  const note = `at least 0.35; processor time of the service ${micro(cost.ours)} us each, of the loop ${micro(cost.limit)}`
  return line('deliveries', best.ours, best.limit, 'a second', note)
}

type Delays = { p50: number; p99: number; missing: number }

/** From each event's commit to its receipt, in milliseconds. */
async function delaysOf({ inbox }: Scene, { at }: WriterDone, ms: number): Promise<Delays> {
  const received = new Map((await inbox.ask({ kind: 'wait', events: at.length, ms })).at)
  const delays = at.flatMap(([id, committed]) => {
    const came = received.get(id)
    return came === undefined ? [] : [Math.max(0, came - committed)]
  })
  const sorted = delays.toSorted((one, other) => one - other)
  const part = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity
  return { p50: part(0.5), p99: part(0.99), missing: at.length - delays.length }
}

/** At forty a second, written by another process than the one that delivers. */
async function latency(scene: Scene, name: string): Promise<Line[]> {
  await scene.inbox.ask({ kind: 'forget' })
  const written = await scene.writer.ask({
    kind: 'write',
    partners: [0],
    count: size(600, 40),
    together: 1,
    perSecond: 40,
  })
  const { p50, p99, missing } = await delaysOf(scene, written, 10_000)
  if (missing > 0) throw new Error(`${missing} events have not come.`)
  return [line(`${name}-p50`, p50, 5, 'ms', 'at most 1'), line(`${name}-p99`, p99, 20, 'ms', 'at most 1')]
}

const partners = 50
const crowd = size(100_000, 1_000)
const crowdPerSecond = 500

/**
 * A hundred thousand events at fifty endpoints, of which one in five is dead, hangs or is slow: how late the others are told.
 * First the same without the bad ones: what both have in common is the machine's.
 */
async function crowded(scene: Scene): Promise<Line[]> {
  const first = (await scene.writer.ask({ kind: 'partners', urls: [] })).count
  const { origin, writer } = scene
  const isBad = (index: number): boolean => index % 5 === 0
  const urlOf = (index: number): string =>
    isBad(index)
      ? (['http://127.0.0.1:9/dead', `${origin}/hang`, `${origin}/slow`][(index / 5) % 3] ?? '')
      : `${origin}/ok/${index}`
  await writer.ask({ kind: 'partners', urls: Array.from({ length: partners }, (_, index) => urlOf(index)) })
  const all = Array.from({ length: partners }, (_, index) => index)
  const healthy = all.filter((index) => !isBad(index))
  const alone = await delaysAt(scene, healthy, { count: crowd / 4, perSecond: (crowdPerSecond * 4) / 5 })
  const beside = await delaysAt(scene, all, { count: crowd, perSecond: crowdPerSecond })
  const note = `${crowdPerSecond} events a second in all, ${beside.missing} missing; at most 1`
  return [
    line('crowd-without-the-bad-p99', alone.p99, 2_000, 'ms', note),
    line('crowd-p50', beside.p50, 2_000, 'ms', note),
    line('crowd-p99', beside.p99, 2_000, 'ms', note),
  ]

  async function delaysAt(
    { inbox }: Scene,
    some: number[],
    { count, perSecond }: { count: number; perSecond: number },
  ): Promise<Delays> {
    await inbox.ask({ kind: 'forget' })
    const asked = { partners: some.map((index) => first + index), count, together: some.length, perSecond }
    const { at } = await writer.ask({ kind: 'write', ...asked })
    const told = at.filter((_, index) => !isBad(some[index % some.length] ?? 0))
    return delaysOf(scene, { at: told, count: told.length }, 30_000)
  }
}

/** What the waiting of a million events for a dead endpoint costs another one. */
async function piled(scene: Scene): Promise<Line[]> {
  const index = (await scene.writer.ask({ kind: 'partners', urls: ['http://127.0.0.1:9/dead'] })).count - 1
  await scene.writer.ask({ kind: 'status', index, status: 'paused' })
  await scene.writer.ask({ kind: 'pile', index, count: size(1_000_000, 1_000) })
  await scene.writer.ask({ kind: 'status', index, status: 'active' })
  await wait(5_000)
  return [await idle(scene), ...(await latency(scene, 'beside-a-million'))]
}

/** Processor time that a process has used so far, in milliseconds (Linux counts in hundredths of a second). */
async function cpuMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Processor time of the service while nothing is to be told, in percent of a core. */
async function idle({ pid }: Scene): Promise<Line> {
  const before = await cpuMs(pid)
  const seconds = size(15, 1)
  await wait(seconds * 1_000)
  const percent = ((await cpuMs(pid)) - before) / seconds / 10
  return line('idle-cpu-beside-a-million', percent, 1, 'percent of a core', 'at most 1')
}

/** Everything about deliveries; some minutes. `only` names one part. */
export async function benchDeliveries(tell: (lines: Line[]) => void, only?: string): Promise<void> {
  const scene = await startScene()
  const isAsked = (part: string) => only === undefined || only === part
  try {
    await scene.writer.ask({ kind: 'partners', urls: [`${scene.origin}/ok`] })
    if (isAsked('latency')) tell(await latency(scene, 'commit-to-receipt'))
    if (isAsked('throughput')) tell([await throughput(scene)])
    if (isAsked('crowd')) tell(await crowded(scene))
    if (isAsked('pile')) tell(await piled(scene))
  } finally {
    await scene.stop()
  }
}
