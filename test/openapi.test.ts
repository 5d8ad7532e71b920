import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, describe, it } from 'node:test'

import type { FastifyInstance } from 'fastify'

import { refusals } from '../src/platform/lib/refusal.ts'
import { openTestApi, type TestApi } from './support/api.ts'
import { collectExamples } from './support/collect-examples.ts'
import { committedForm, documentFile, examplesFile, operationsOf, yamlOf } from './support/openapi.ts'
import { read } from './support/papers.ts'

type Answer = {
  content?: { 'application/json': { example?: unknown } }
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>
}
type Document = {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Answer> }>>
  components: { examples: Record<string, unknown> }
}

const routes: string[] = []

/** Notes every route under /v1 that is registered: the interface alone, without the sandbox's controls. */
const listen = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    if (!url.startsWith('/v1/')) return
    const path = url.replace(/:(\w+)/g, '{$1}')
    routes.push(...[method].flat().flatMap((one) => (one === 'HEAD' ? [] : `${one} ${path}`)))
  })
}

const again = 'to update it: WRITE_PAPERS=1 npm test -- openapi'

describe('the OpenAPI document', () => {
  let api: TestApi
  before(async () => {
    subscribe('fastify.initialization', listen)
    api = await openTestApi()
    unsubscribe('fastify.initialization', listen)
  })
  after(() => api.close())

  it('has examples that a sandbox answers', async () => {
    const wanted = `${JSON.stringify(await collectExamples(), null, 2)}\n`
    if (process.env.WRITE_PAPERS) writeFileSync(examplesFile, wanted)
    assert.equal(read('assets/api-examples.json'), wanted, again)
  })

  it('is committed as it is served', async () => {
    const { status, body } = await api.ask({ url: '/openapi.json' })
    assert.equal(status, 200)
    const wanted = yamlOf(committedForm(body))
    if (process.env.WRITE_PAPERS) writeFileSync(documentFile, wanted)
    assert.equal(read('openapi.yaml'), wanted, again)
  })

  it('has every route under /v1, and no other', async () => {
    const { body } = await api.ask({ url: '/openapi.json' })
    const documented = operationsOf(body).map(({ method, path }) => `${method} ${path}`)
    assert.deepEqual(documented.toSorted(), [...new Set(routes)].toSorted())
  })

  it('shows a real answer of every success, and of every refusal that can be had', async () => {
    const { paths, components } = (await api.ask({ url: '/openapi.json' })).body as Document
    const without = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([status, { content }]) => status.startsWith('2') && content && !content['application/json'].example)
          .map(([status]) => `${operationId} ${status}`),
      ),
    )
    assert.deepEqual(without, [])
    const unseen = Object.keys(refusals).filter((code) => !(code in components.examples))
    assert.deepEqual(unseen, [
      'NOT_PROVEN',
      'METHOD_NOT_ALLOWED',
      'REQUEST_TIMEOUT',
      'NOT_EXCLUDED',
      'IDEMPOTENCY_IN_PROGRESS',
      'INTERNAL_ERROR',
    ])
  })

  it('leads from what was made to where it is read', async () => {
    const { paths } = (await api.ask({ url: '/openapi.json' })).body as Document
    for (const path of ['/v1/transaction', '/v1/b2b/transaction']) {
      const { links } = paths[path]?.post?.responses['201'] ?? {}
      assert.deepEqual(links?.GetTransaction?.parameters, { id: '$response.body#/id' }, path)
      assert.equal(links?.GetTransaction?.operationId, 'getTransaction')
    }
  })

  it('is the same when it is asked for again, and is not sent to a client that has it', async () => {
    const first = await api.ask({ url: '/openapi.json' })
    const second = await api.ask({ url: '/openapi.json' })
    assert.equal(second.text, first.text)
    const etag = String(first.headers.etag)
    for (const url of ['/openapi.json', '/docs', '/docs/api/getStatus', '/docs/quickstart']) {
      const { headers } = await api.ask({ url })
      const kept = await api.ask({ url, headers: { 'if-none-match': String(headers.etag) } })
      assert.deepEqual([kept.status, kept.text], [304, ''], url)
    }
    assert.match(etag, /^"[\w-]{22}"$/)
  })
})
