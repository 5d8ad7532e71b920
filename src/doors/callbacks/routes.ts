import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { receiveCallbacks } from './receive.ts'

/** `POST /callbacks/{name}`: where rails and identity providers reach us. Answers 200 once what they told is durable. */
export const callbackRoutes =
  (ctx: Ctx) =>
  (app: FastifyInstance): void => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    app.post('/callbacks/:rail', async (request) => {
      const { rail } = request.params as { rail: string }
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
      )
      const body = typeof request.body === 'string' ? request.body : ''
      await ctx.db.atomic((db) => receiveCallbacks(ctx, db, [{ rail, body, headers }]))
      return { received: true }
    })
  }
