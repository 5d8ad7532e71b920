import fastify, { type FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { inTime } from '../../platform/lib/in-time.ts'
import { writesNow } from './status.ts'

/** One value of a metric, and the values of its labels in their order. */
export type Reading = { labels: string[]; value: number }

/** A number, or one for each set of labels, that the operator may want to watch; read when it is asked for. */
export type Gauge = {
  name: string
  help: string
  labels?: readonly string[]
  /** Whether it only grows since the process began. */
  isCounter?: boolean
  read(): Reading[] | Promise<Reading[]>
}

/**
 * What the operator's own machines ask, on a port that stays inside: `/healthz` (the process lives), `/readyz` (it can answer:
 * its database answers and takes writes, and its clock is the database's; stale prices do not make it unready) and `/metrics` in Prometheus' form. The metrics library is loaded at
 * the first question. What cannot be read is left out, and counted by `cambio_readings_failed`.
 */
export function buildAdmin(
  ctx: Pick<Ctx, 'db' | 'log' | 'heartbeat'>,
  { gauges = [] }: { gauges?: readonly Gauge[] } = {},
): FastifyInstance {
  const app = fastify({ logger: false })
  let metrics: Promise<() => Promise<string>> | undefined

  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const writes = await writesNow(ctx).catch(() => 'down' as const)
    const isOk = writes === 'ok' && !ctx.heartbeat.isSkewed()
    const status = isOk ? 'ok' : writes === 'ok' ? 'clock differs' : `database ${writes.replace('_', ' ')}`
    return reply.code(status === 'ok' ? 200 : 503).send({ status })
  })
  app.get('/metrics', async (_request, reply) => {
    metrics ??= openMetrics(ctx, gauges)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await (await metrics)())
  })
  return app
}

/** How long one number may take: a database that is silent must not silence what needs none. */
const patienceMs = 5_000

/** Removes the values of a metric. A reset leaves one without labels at zero. */
function clear(metric: { reset(): void; remove(labels: object): void }, labels: readonly string[]): void {
  metric.reset()
  if (labels.length === 0) metric.remove({})
}

async function openMetrics({ log }: Pick<Ctx, 'log'>, gauges: readonly Gauge[]): Promise<() => Promise<string>> {
  const { collectDefaultMetrics, Counter, Gauge: PrometheusGauge, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const shown = gauges.map(({ name, help, labels = [], isCounter = false, read }) => {
    const options = { name: `cambio_${name}`, help, labelNames: [...labels], registers: [registry] }
    return { read, labels, metric: isCounter ? new Counter(options) : new PrometheusGauge(options) }
  })
  const failed = new PrometheusGauge({
    name: 'cambio_readings_failed',
    help: 'How many of the numbers of this page could not be read this time.',
    registers: [registry],
  })

  async function show({ read, labels, metric }: (typeof shown)[number]): Promise<void> {
    clear(metric, labels)
    try {
      const readings = await inTime(patienceMs, Promise.resolve(read()))
      // Another reader may have filled it in the meantime.
      clear(metric, labels)
      for (const reading of readings) {
        metric.inc(
          Object.fromEntries(labels.map((label, index) => [label, reading.labels[index] ?? ''])),
          reading.value,
        )
      }
    } catch (error) {
      failed.inc()
      log.warn({ err: error }, 'A metric could not be read.')
    }
  }
  return async () => {
    failed.set(0)
    await Promise.all(shown.map(show))
    return registry.metrics()
  }
}
