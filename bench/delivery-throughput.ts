import { setTimeout as wait } from 'node:timers/promises'

import type { PostsOrder } from './delivery-posts.ts'
import type { Scene } from './delivery-scene.ts'
import { startHelper } from './helper-process.ts'
import { type Line, line } from './line.ts'
import { cpuMs, familyCpuMs } from './processor-time.ts'
import { size } from './size.ts'

const deliveriesARound = size(12_000, 200)
const bodyBytes = 2_600
const rounds = size(3, 1)

/** What one round of deliveries came to; processor times in milliseconds each. */
export type Delivered = { perSecond: number; serviceMs: number; databaseMs: number }

/**
 * Signed deliveries a second out of the table to one endpoint, attempts recorded, compared with a bare loop that posts as many bytes to
 * the same program over as many kept connections: 0.35 is aimed at. Both sides take turns, and the best round of each counts.
 */
export async function throughput(scene: Scene): Promise<Line> {
  const best: Delivered = { perSecond: 0, serviceMs: Infinity, databaseMs: Infinity }
  const bare = { perSecond: 0, ms: Infinity }
  const posts = startHelper<PostsOrder, { count: number; ms: number }>('delivery-posts.js')
  for (let round = 0; round < rounds; round += 1) {
    const { perSecond, serviceMs, databaseMs } = await deliverMany(scene)
    best.perSecond = Math.max(best.perSecond, perSecond)
    best.serviceMs = Math.min(best.serviceMs, serviceMs)
    best.databaseMs = Math.min(best.databaseMs, databaseMs)
    await wait(1_000)
    const before = await cpuMs(posts.pid)
    const order = { url: `${scene.origin}/ok`, bytes: bodyBytes, connections: 16, ms: size(4_000, 200) }
    const { count, ms } = await posts.ask(order)
    bare.perSecond = Math.max(bare.perSecond, (count * 1_000) / ms)
    bare.ms = Math.min(bare.ms, ((await cpuMs(posts.pid)) - before) / count)
  }
  posts.end()
  const costs = micro(best.serviceMs, best.databaseMs, bare.ms)
  const note = `at least 0.35; processor time of the service, the database, the loop: ${costs} us each`
  return line('deliveries', best.perSecond, bare.perSecond, 'a second', note)
}

/** Formats processor times, given in milliseconds, in microseconds. */
export const micro = (...ms: number[]): string => ms.map((each) => Math.round(each * 1_000)).join(', ')

/** Lets events of partner 0 pile up while its endpoint is paused, and then go. Counted from the first receipt to the last. */
export async function deliverMany({ servicePid, databasePid, writer, inbox }: Scene): Promise<Delivered> {
  await writer.ask({ kind: 'status', index: 0, status: 'paused' })
  // What was changed by another process is known everywhere within two seconds.
  await wait(2_500)
  await inbox.ask({ kind: 'forget' })
  await writer.ask({ kind: 'write', partners: [0], count: deliveriesARound, together: 50, perSecond: 1_000_000 })
  while ((await writer.ask({ kind: 'unplaced' })).count > 0) await wait(100)
  const before = { service: await cpuMs(servicePid), database: await familyCpuMs(databasePid) }
  await writer.ask({ kind: 'status', index: 0, status: 'active' })
  const { at } = await inbox.ask({ kind: 'wait', events: deliveriesARound, ms: 120_000 })
  const times = at.map(([, time]) => time)
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  return {
    perSecond: (times.length * 1_000) / (last - first),
    serviceMs: ((await cpuMs(servicePid)) - before.service) / deliveriesARound,
    databaseMs: ((await familyCpuMs(databasePid)) - before.database) / deliveriesARound,
  }
}
