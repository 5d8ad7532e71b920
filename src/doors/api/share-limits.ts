import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { detach } from '../../platform/lib/detach.ts'
import { randomId } from '../../platform/lib/ids.ts'
import * as queries from './queries.ts'
import type { Buckets } from './token-bucket.ts'

/** Kinds of buckets, each by a one-character key. */
export type SharedBuckets = Readonly<Record<string, Pick<Buckets<string>, 'charge' | 'takenSince'>>>

/** How often a process says what it has let through, and hears what the others have. */
const everyMs = 1_000

/**
 * Makes buckets of one budget over all processes of one database (docs/decisions/0033): what is let through here is reported to the
 * others, and what they have let through is taken off here, once a second and in one statement. Gives what does it once.
 */
export function sharing({ db, clock }: Pick<Ctx, 'db' | 'clock'>, kinds: SharedBuckets): () => Promise<void> {
  const process = randomId()
  let heard: bigint[] = []

  return async () => {
    const taken = Object.entries(kinds).map(
      ([kind, buckets]) => [kind, Object.fromEntries(buckets.takenSince())] as const,
    )
    const isQuiet = taken.every(([, counts]) => Object.keys(counts).length === 0)
    const mine = isQuiet ? null : JSON.stringify(Object.fromEntries(taken))
    const reports = await queries.exchangeCounts(db, { process, mine, heard })
    const now = clock.realNow().getTime()
    for (const { counts } of reports) {
      for (const [kind, names] of Object.entries(JSON.parse(counts) as Record<string, Record<string, number>>)) {
        for (const [name, tokens] of Object.entries(names)) kinds[kind]?.charge(name, now, tokens)
      }
    }
    // Ids only grow: what was heard longest ago is not reported any more.
    heard = [...heard, ...reports.map(({ id }) => id)].slice(-mostHeard)
  }
}

/** More than all processes report within the time that a report is kept. */
const mostHeard = 1_000

/** Shares as long as the interface is open. While the database is away, each process counts by itself. */
export function keepSharing(app: FastifyInstance, { log }: Pick<Ctx, 'log'>, share: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined
  let going: Promise<void> | undefined
  let isFailing = false

  const attempt = async (): Promise<void> => {
    try {
      await share()
      isFailing = false
    } catch (error) {
      if (!isFailing)
        log.warn({ err: error }, 'What other processes let through is not known; limits are of each by itself.')
      isFailing = true
    }
  }
  app.addHook('onReady', (done) => {
    timer = setInterval(() => {
      if (going) return
      going = attempt().finally(() => (going = undefined))
      detach(going)
    }, everyMs)
    timer.unref()
    done()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await going
  })
}
