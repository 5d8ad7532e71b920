import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { after } from '../../platform/lib/clock.ts'
import { detach } from '../../platform/lib/detach.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import { type Answer, answerBefore, keepAnswer, send } from './idempotency.ts'
import { type IdempotencyKey, idempotencyKeyOf } from './idempotency-key.ts'
import { journalOf, refuseOthersSteps, withoutKey } from './journal.ts'
import { refuseUnreadable } from './json-body.ts'
import * as queries from './queries.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** A handler puts here the key of the person that its answer tells of: a kept answer is sealed with it. */
    tellsOf: DataKey | undefined
  }
  interface FastifyContextConfig {
    /** A POST whose answer commits with its work (`answerOnce`). Of every other POST the door keeps the answer. */
    once?: 'with-its-work'
  }
}

/**
 * Puts the promise of the `Idempotency-Key` around a route's handler, so that no POST can be without it. The handler gives
 * back the body of its answer, having set the status; it never sends by itself.
 *
 * While the work continues, which may be many atomic blocks and take long, the key is held by a leased row: no connection is
 * kept for it and no block open, which would hold back the horizon of the feed and starve the pool. When a process dies at
 * the work, the key is free again as soon as the lease has run out. What was done until then stays done: the handler has written
 * it into `request.journal`, step by step with its effects, and the repeated request continues from there. A handler that is one
 * atomic block may commit its answer with its work instead.
 */
export const keepAnswers =
  (ctx: Ctx) =>
  (url: string, handler: RouteHandlerMethod, once: 'with-its-work' | undefined): RouteHandlerMethod =>
    async function (request, reply) {
      if (request.method !== 'POST') return handler.call(this, request, reply)
      const work = () => withoutSending(url, reply, async () => handler.call(this, request, reply))
      if (once === 'with-its-work') {
        const body = await work()
        if (!request.isAnsweredOnce) throw new Error(`POST ${url} promises to keep its answer but did not.`)
        return body
      }
      const key = idempotencyKeyOf(ctx, request)
      request.journal = key ? journalOf(ctx, key) : withoutKey(ctx)
      if (!key) return work()
      const begun = await begin(ctx, request, key)
      if ('first' in begun) return send(reply, begun.first, true)
      return whileLeased(ctx, begun, async () => {
        const body = await work()
        await end(ctx, key, begun, { status: reply.statusCode, body, dataKey: request.tellsOf })
        return body
      })
    }

/** An answer that a handler sent by itself could not be kept: it must not go out at all, or nobody would find out. */
async function withoutSending(url: string, reply: FastifyReply, work: () => Promise<unknown>): Promise<unknown> {
  const { send: really } = reply
  reply.send = () => {
    throw new Error(`POST ${url} sends its answer by itself: it could not be kept.`)
  }
  try {
    return await work()
  } finally {
    reply.send = really
  }
}

type First = { first: { status: number; body: unknown } }

/** Takes the key for this request, in one short block; or gives the answer that the key was given before. */
const begin = (ctx: Ctx, request: FastifyRequest, key: IdempotencyKey): Promise<First | queries.Lease> =>
  ctx.db.atomic(async (db) => {
    const first = await answerBefore<unknown>(ctx, db, key)
    if (first) return { first }
    await refuseOthersSteps(db, key)
    refuseUnreadable(request)
    const lease = { keyId: key.keyId, keyHash: key.keyHash, fence: await ctx.rowIds.next() }
    queries.beginWork(db, lease, after(key.now, ctx.config.jobs.leaseMs))
    return lease
  })

/** Keeps the lease alive while `work` runs. When it throws, the key is free; nothing of a refusal is kept. */
async function whileLeased<T>(ctx: Ctx, lease: queries.Lease, work: () => Promise<T>): Promise<T> {
  const { leaseMs } = ctx.config.jobs
  const attempt = async (step: () => Promise<unknown>) => {
    try {
      await step()
    } catch (error) {
      ctx.log.warn({ err: error }, 'The lease of an Idempotency-Key could not be changed; it runs out by itself.')
    }
  }
  const prolong = () => attempt(() => queries.prolongWork(ctx.db, lease, after(ctx.clock.realNow(), leaseMs)))
  const timer = setInterval(() => detach(prolong()), leaseMs / 3)
  try {
    return await work()
  } catch (error) {
    await attempt(() => queries.endWork(ctx.db, lease))
    throw error
  } finally {
    clearInterval(timer)
  }
}

/** Keeps the answer and ends the work in one block. An answer whose key was taken over meanwhile is left to the other one. */
const end = (ctx: Ctx, key: IdempotencyKey, lease: queries.Lease, answer: Answer<unknown>): Promise<void> =>
  ctx.db.atomic(async (db) => {
    const isOurs = await queries.endWork(db, lease)
    if (isOurs && answer.status < 300) keepAnswer(ctx, db, key, answer)
  })
