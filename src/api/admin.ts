import fastify, { type FastifyInstance } from 'fastify'

import type { Ctx } from '../context.ts'
import * as queries from './queries.ts'

/** A number that the operator may want to watch; read when it is asked for. */
export type Gauge = { name: string; help: string; read(): number | Promise<number> }

/**
 * What the operator's own machines ask, on a port that stays inside: `/healthz` (the process lives), `/readyz` (it can answer:
 * its database does; stale prices do not make it unready) and `/metrics` in Prometheus' form. The metrics library is loaded at
 * the first question.
 */
export function buildAdmin(ctx: Pick<Ctx, 'db'>, { gauges = [] }: { gauges?: readonly Gauge[] } = {}): FastifyInstance {
  const app = fastify({ logger: false })
  let metrics: Promise<() => Promise<string>> | undefined

  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const isReady = await queries.ping(ctx.db).catch(() => false)
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'database down' })
  })
  app.get('/metrics', async (_request, reply) => {
    metrics ??= openMetrics(gauges)
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await (await metrics)())
  })
  return app
}

async function openMetrics(gauges: readonly Gauge[]): Promise<() => Promise<string>> {
  const { collectDefaultMetrics, Gauge: PrometheusGauge, Registry } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const { name, help, read } of gauges) {
    const gauge: InstanceType<typeof PrometheusGauge> = new PrometheusGauge({
      name: `cambio_${name}`,
      help,
      registers: [registry],
      collect: async () => gauge.set(await read()),
    })
  }
  return () => registry.metrics()
}
