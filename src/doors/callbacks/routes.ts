import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { receiveCallback } from './receive.ts'

/** `POST /callbacks/{name}`: where rails and identity providers call us. Answers once what they reported is durable. */
export const callbackRoutes =
  (ctx: Ctx) =>
  (app: FastifyInstance): void => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.post('/callbacks/:name', async (request, answer) => {
      const { name } = request.params as { name: string }
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([header, value]) => [header, Array.isArray(value) ? value[0] : value]),
      )
      const body = typeof request.body === 'string' ? request.body : ''
      const reply = await receiveCallback(ctx, { name, body, headers })
      if (!reply) return { received: true }
      return answer
        .status(reply.status ?? 200)
        .type(reply.contentType)
        .send(reply.body)
    })
  }
