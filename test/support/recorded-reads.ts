import type { FastifyInstance } from 'fastify'

import { isObject } from '../../src/doors/api/json-body.ts'

/** The names that a handler looked at: of the query as they are, of the body with dots (`customer.ip`). */
export type Reads = { query: Set<string>; body: Set<string> }

/** Notes which names every request's handler reads. To be called before the interface is ready. */
export function recordReads(app: FastifyInstance): Reads {
  const reads: Reads = { query: new Set(), body: new Set() }
  app.addHook('preHandler', (request, _reply, done) => {
    request.query = recording(request.query as object, '', reads.query)
    if (isObject(request.body)) request.body = recording(request.body, '', reads.body)
    done()
  })
  return reads
}

const recording = <T extends object>(value: T, at: string, names: Set<string>): T =>
  new Proxy(value, {
    get: (target, name, receiver) => {
      const found: unknown = Reflect.get(target, name, receiver)
      if (typeof name !== 'string') return found
      const path = at === '' ? name : `${at}.${name}`
      names.add(path)
      return isObject(found) ? recording(found, path, names) : found
    },
  })
