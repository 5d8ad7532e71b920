import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

import { Refusal } from '../../platform/lib/refusal.ts'
import { answerPreflight } from './cors.ts'

/** What is served: patterns with the methods that each answers, and whether a browser may call it from any page. */
type Served = { pattern: RegExp; methods: Set<string>; isOpen: boolean }

/** Where what older clients ask for is now. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  [
    '/v1/estimate/by-category',
    'There is no list of estimates by category. Ask GET /v1/estimate for one category, with deposit_category.',
  ],
])

/**
 * Answers what no route answers, before anything else is looked at: 404 for an unknown address, 405 with `Allow` for a method
 * that an address does not have, and the question that a browser asks before it calls from another page.
 */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const served = new Map<string, Served>()
  app.addHook('onRoute', ({ url, method, config }) => {
    const known = served.get(url) ?? { pattern: patternOf(url), methods: new Set<string>(), isOpen: false }
    for (const one of [method].flat()) known.methods.add(one)
    if (config?.access === 'anyone' || config?.access === 'any-key') known.isOpen = true
    served.set(url, known)
  })

  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    if (!request.is404 && !isShadowed(request, served)) return done()
    const path = pathOf(request)
    const itself = served.get(path)
    const found = itself ? [itself] : [...served.values()].filter(({ pattern }) => pattern.test(path))
    if (found.length === 0)
      throw new Refusal('NOT_FOUND', elsewhere.get(path) ?? 'There is nothing under this address.')

    const methods = ['OPTIONS', ...found.flatMap(({ methods: own }) => [...own])].toSorted()
    if (request.method === 'OPTIONS' && found.some(({ isOpen }) => isOpen)) {
      answerPreflight(reply, methods)
      return
    }
    reply.header('allow', methods.join(', '))
    throw new Refusal('METHOD_NOT_ALLOWED', `This address answers ${methods.join(', ')}.`)
  })
  app.setNotFoundHandler(() => {
    throw new Error('A request for which there is no route came past the hook that answers it.')
  })
}

/** A trailing slash changes nothing. */
const pathOf = ({ url }: FastifyRequest): string => {
  const path = url.split('?', 1)[0] ?? ''
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** Whether a pattern matched a path that another method serves: in `GET /v1/transaction/health`, `health` is not an id. */
function isShadowed(request: FastifyRequest, served: ReadonlyMap<string, Served>): boolean {
  if (!request.routeOptions.url?.includes(':')) return false
  const itself = served.get(pathOf(request))
  return itself !== undefined && !itself.methods.has(request.method)
}

/** A route's pattern (`/v1/transaction/:id`) as an expression that its addresses match. */
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace('*', '.*')}$`,
  )
