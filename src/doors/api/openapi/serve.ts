import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../../exchange/context.ts'
import { docs } from '../docs/serve.ts'
import { madeOnce, sendKept } from '../docs/send-kept.ts'
import type { DeclaredRoute } from './declared-route.ts'
import { openApiDocument } from './document.ts'
import { readExamples } from './examples.ts'

/**
 * `GET /openapi.json` and `GET /docs`: what the interface is, for programs and for people. Each is built on first request and
 * cached, so a service that nobody queries pays nothing. `routes` may still grow until then.
 */
export function openApi(
  app: FastifyInstance,
  ctx: Pick<Ctx, 'publicUrl'>,
  routes: readonly DeclaredRoute[],
  { serverName, keysPath }: { serverName: string; keysPath: string | undefined },
): void {
  const document = () =>
    openApiDocument({
      routes,
      examples: readExamples(),
      publicUrl: ctx.publicUrl,
      serverName,
    })
  const json = madeOnce(() => JSON.stringify(document()))

  app.get('/openapi.json', (request, reply) => {
    reply.header('access-control-allow-origin', '*').type('application/json; charset=utf-8')
    return sendKept(request, reply, json())
  })
  docs(app, { document, keysPath })
}
