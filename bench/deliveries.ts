import { setTimeout as wait } from 'node:timers/promises'

import { type Scene, startScene } from './delivery-scene.ts'
import { deliverMany, type Delivered, micro, throughput } from './delivery-throughput.ts'
import type { WriterDone } from './delivery-writer.ts'
import { type Line, line } from './line.ts'
import { cpuMs } from './processor-time.ts'
import { size } from './size.ts'

/** The parts, which `npm run bench` takes by name, in the order in which they are measured. */
export const deliveryParts = ['delivery-latency', 'delivery-rate', 'delivery-crowd', 'waiting-million'] as const

const measures: Record<(typeof deliveryParts)[number], (scene: Scene, tell: (lines: Line[]) => void) => Promise<void>> =
  {
    'delivery-latency': async (scene, tell) => tell(linesOf('commit-to-receipt', await latency(scene))),
    'delivery-rate': async (scene, tell) => tell([await throughput(scene)]),
    'delivery-crowd': async (scene, tell) => tell(await crowded(scene)),
    'waiting-million': async (scene, tell) => tell(await besideAMillion(scene)),
  }

/** Measures these parts of delivering, one after the other at one service. */
export async function benchDeliveries(tell: (lines: Line[]) => void, parts: readonly string[]): Promise<void> {
  const scene = await startScene()
  try {
    for (const part of deliveryParts) if (parts.includes(part)) await measures[part](scene, tell)
  } finally {
    await scene.stop()
  }
}

/** From the commit of an event, fresh as it is, to its receipt, in milliseconds by one machine's wall clock. */
type Delays = { p50: number; p99: number; missing: number }

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

/** At forty a second to one endpoint, written by another process than the one that delivers. */
async function latency(scene: Scene): Promise<Delays> {
  await scene.inbox.ask({ kind: 'forget' })
  const count = size(600, 40)
  const written = await scene.writer.ask({ kind: 'write', partners: [0], count, together: 1, perSecond: 40 })
  const delays = await delaysOf(scene, written, 10_000)
  if (delays.missing > 0) throw new Error(`${delays.missing} events have not come.`)
  return delays
}

const linesOf = (name: string, { p50, p99 }: Delays): Line[] => [
  line(`${name}-p50`, p50, 5, 'ms', 'at most 1'),
  line(`${name}-p99`, p99, 20, 'ms', 'at most 1'),
]

const endpoints = 50
const queued = size(100_000, 1_000)
const crowdPerSecond = 500
const crowdSeconds = size(60, 2)
const isBad = (index: number): boolean => index % 5 === 0

/**
 * A hundred thousand events are queued and due at ten of fifty endpoints, a third of which is dead, a third never answers and a
 * third takes three seconds; all fifty get new events meanwhile. How late do events reach the forty healthy ones: from the commit of
 * each new event to its receipt. Before it, the same at the healthy ones alone: what both have in common is the machine's.
 */
async function crowded(scene: Scene): Promise<Line[]> {
  const { origin, writer } = scene
  const badUrls = ['http://127.0.0.1:9/dead', `${origin}/hang`, `${origin}/slow`]
  const urlOf = (index: number) => (isBad(index) ? (badUrls[(index / 5) % 3] ?? '') : `${origin}/ok/${index}`)
  const all = Array.from({ length: endpoints }, (_, index) => index)
  const { count: made } = await writer.ask({ kind: 'partners', urls: all.map(urlOf) })
  const first = made - endpoints
  const healthy = all.filter((index) => !isBad(index))
  const bad = all.filter(isBad)

  const alone = await delaysAt(scene, healthy, first)
  const pile = { partners: bad.map((index) => first + index), count: queued, together: 100, perSecond: 1_000_000 }
  await writer.ask({ kind: 'write', ...pile })
  while ((await writer.ask({ kind: 'unplaced' })).count > 0) await wait(100)
  const measured = await delaysAt(scene, all, first)
  const { count: left } = await writer.ask({ kind: 'queued' })
  for (const index of bad) await writer.ask({ kind: 'status', index: first + index, status: 'paused' })
  const note = `${crowdPerSecond} events a second in all, ${left} still queued at the end, ${measured.missing} missing; at most 1`
  return [
    line('crowd-without-the-bad-p99', alone.p99, 2_000, 'ms', 'at most 1'),
    line('crowd-p50', measured.p50, 2_000, 'ms', note),
    line('crowd-p99', measured.p99, 2_000, 'ms', note),
  ]
}

/** New events for these endpoints in turn, as many for each as if all fifty got some; the delays of the healthy ones. */
async function delaysAt(scene: Scene, some: number[], first: number): Promise<Delays> {
  const perSecond = (crowdPerSecond * some.length) / endpoints
  await scene.inbox.ask({ kind: 'forget' })
  const { at } = await scene.writer.ask({
    kind: 'write',
    partners: some.map((index) => first + index),
    count: perSecond * crowdSeconds,
    together: some.length,
    perSecond,
  })
  const expected = at.filter((_, index) => !isBad(some[index % some.length] ?? 0))
  return delaysOf(scene, { at: expected, count: expected.length }, 30_000)
}

const pileSize = size(1_000_000, 1_000)
const pileRounds = size(5, 1)
/** How long the service has had nothing to do when a side begins: afterwards its program is slower for a while, pile or no pile. */
const restMs = size(75_000, 500)

/**
 * What a million events that wait for a dead endpoint cost another one: the rate at which a queue of its own is delivered and
 * the delay of new events, beside the million and without it. Half of them are due, half were put off to another day. Measured
 * without, with, with and without, so that a machine that becomes slower or quicker meanwhile favors neither side; each after a
 * rest, as long as the piling takes, which is also when the database does what it does after a million inserts or deletes.
 */
async function besideAMillion(scene: Scene): Promise<Line[]> {
  const { writer } = scene
  await wait(restMs)
  const before = await oneSide(scene)
  const { count } = await writer.ask({ kind: 'partners', urls: ['http://127.0.0.1:9/dead'] })
  await writer.ask({ kind: 'pile', index: count - 1, count: pileSize })
  await wait(size(15_000, 500))
  const usedPercent = await used(scene)
  const withMillion = bestOf(await oneSide(scene), await oneSide(scene))
  const { count: left } = await writer.ask({ kind: 'queued' })
  await writer.ask({ kind: 'unpile', index: count - 1 })
  await wait(restMs)
  const without = bestOf(before, await oneSide(scene))
  const note = `${left} waiting at the end`
  const times = [withMillion, without]
    .map(({ serviceMs, databaseMs }) => micro(serviceMs, databaseMs))
    .join('; without it ')
  const cost = `processor time of the service, the database: ${times} us each`
  return [
    line(
      'rate-beside-a-million',
      withMillion.perSecond,
      without.perSecond,
      'a second',
      `at least 0.95; ${note}; ${cost}`,
    ),
    line('p50-beside-a-million', withMillion.p50, Math.max(1, without.p50), 'ms', note),
    line('p99-beside-a-million', withMillion.p99, Math.max(1, without.p99), 'ms', note),
    line('cpu-beside-a-million', usedPercent, 2, 'percent of a core', `at most 1; ${probed}`),
  ]
}

/** The best of some rounds; processor times in milliseconds a delivery. */
type Side = Delivered & { p50: number; p99: number }

async function oneSide(scene: Scene): Promise<Side> {
  const rounds: Delivered[] = []
  while (rounds.length < pileRounds) rounds.push(await deliverMany(scene))
  const { p50, p99 } = await latency(scene)
  return rounds.map((round) => ({ ...round, p50, p99 })).reduce(bestOf)
}

const bestOf = (one: Side, other: Side): Side => ({
  perSecond: Math.max(one.perSecond, other.perSecond),
  serviceMs: Math.min(one.serviceMs, other.serviceMs),
  databaseMs: Math.min(one.databaseMs, other.databaseMs),
  p50: Math.min(one.p50, other.p50),
  p99: Math.min(one.p99, other.p99),
})

const probed = 'the dead endpoint is asked five times a second meanwhile'

/** Processor time of the service's process while there is nothing new to deliver, in percent of a core. */
async function used({ servicePid }: Scene): Promise<number> {
  const before = await cpuMs(servicePid)
  const seconds = size(15, 1)
  await wait(seconds * 1_000)
  return ((await cpuMs(servicePid)) - before) / seconds / 10
}
