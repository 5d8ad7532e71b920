import fastify, { type FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import * as queries from './queries.ts'

/** One value of a metric, and the values of its labels in their order. */
export type Reading = { labels: string[]; value: number }

/** A number, or one for each set of labels, that the operator may want to watch; read when it is asked for. */
export type Gauge = { name: string; help: string; labels?: readonly string[]; read(): Reading[] | Promise<Reading[]> }

/**
 * What the operator's own machines ask, on a port that stays inside: `/healthz` (the process lives), `/readyz` (it can answer:
 * its database does; stale prices do not make it unready) and `/metrics` in Prometheus' form. The metrics library is loaded at
 * the first question. What cannot be read is left out, and counted by `cambio_readings_failed`.
 */
export function buildAdmin(
  ctx: Pick<Ctx, 'db' | 'log'>,
  { gauges = [] }: { gauges?: readonly Gauge[] } = {},
): FastifyInstance {
  const app = fastify({ logger: false })
  let metrics: Promise<() => Promise<string>> | undefined

  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const isReady = await queries.ping(ctx.db).catch(() => false)
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'database down' })
  })
  app.get('/metrics', async (_request, reply) => {
    metrics ??= openMetrics(ctx, gauges)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await (await metrics)())
  })
  return app
}

async function openMetrics({ log }: Pick<Ctx, 'log'>, gauges: readonly Gauge[]): Promise<() => Promise<string>> {
  const { collectDefaultMetrics, Gauge: PrometheusGauge, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const shown = gauges.map(({ name, help, labels = [], read }) => ({
    read,
    labels,
    gauge: new PrometheusGauge({ name: `cambio_${name}`, help, labelNames: [...labels], registers: [registry] }),
  }))
  const failed = new PrometheusGauge({
    name: 'cambio_readings_failed',
    help: 'How many of the numbers of this page could not be read this time.',
    registers: [registry],
  })

  async function show({ read, labels, gauge }: (typeof shown)[number]): Promise<void> {
    // A reset leaves a gauge without labels at zero.
    gauge.reset()
    if (labels.length === 0) gauge.remove({})
    try {
      for (const reading of await read()) {
        gauge.set(Object.fromEntries(labels.map((label, index) => [label, reading.labels[index] ?? ''])), reading.value)
      }
    } catch (error) {
      failed.inc()
      log.warn({ err: error }, 'A metric could not be read.')
    }
  }
  return async () => {
    failed.set(0)
    for (const one of shown) await show(one)
    return registry.metrics()
  }
}
