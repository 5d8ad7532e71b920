import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi } from './support/api.ts'
import { type Json, operationsOf, type Placed, resolved } from './support/openapi.ts'
import { type Reads, recordReads } from './support/recorded-reads.ts'

let api: TestApi
let reads: Reads
let operations: Placed[]
before(async () => {
  api = await openTestApi()
  reads = recordReads(api.app)
  operations = operationsOf((await api.ask({ url: '/openapi.json' })).body)
})
after(() => api.close())

/** Every name of a body's schema, with dots. */
const namesOf = (schema: Json, at = ''): string[] =>
  Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([name, field]) => [
    `${at}${name}`,
    ...namesOf(field, `${at}${name}.`),
  ])

/** A body with every name of its schema, or with its objects only. */
const bodyOf = (schema: Json, isFull: boolean): Json =>
  Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Record<string, Json>)
      .filter(([, field]) => isFull || field.properties)
      .map(([name, field]) => [name, field.properties ? bodyOf(field, isFull) : '1']),
  )

/** Sends a request with everything, one with nothing, and one that asks the other way round; gives what was read. */
async function readsOf({ method, path, parameters, body }: Placed) {
  reads.query.clear()
  reads.body.clear()
  const address = path.replace(/\{(\w+)\}/g, (_all, name: string) => samples[name] ?? '1')
  const named = parameters.filter((one) => one.in === 'query')
  const queries = [named.map(({ name }) => `${name}=${samples[name] ?? '1'}`).join('&'), '', 'type=reverse']
  for (const [index, query] of queries.entries()) {
    const sent = body ? { body: bodyOf(body, index === 0) } : {}
    await api.ask({ method, url: `${address}?${query}`, key: api.all.secret_key, ...sent })
  }
  return { query: [...reads.query].toSorted(), body: [...reads.body].toSorted() }
}

const samples: Record<string, string> = {
  ticker: 'btc',
  pair: 'eur_btc',
  category: 'SEPA',
  country: 'DE',
  type: 'direct',
  available: 'true',
  currency: 'EUR',
  network: 'BTC',
}

describe('what an operation declares', () => {
  it('is what its reader reads: no name more and no name less, in the query and in the body', async () => {
    assert(operations.length >= 24)
    for (const operation of operations) {
      const read = await readsOf(operation)
      const declared = operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name)
      assert.deepEqual(read.query, declared.toSorted(), `${operation.id}: query`)
      assert.deepEqual(read.body, operation.body ? namesOf(operation.body).toSorted() : [], `${operation.id}: body`)
    }
  })

  it('is a query, a path and a body whose every text, list and number is bounded', () => {
    const unbounded = operations.flatMap(({ id, parameters, body }) =>
      [...parameters.map(({ name, schema }) => [name, schema] as const), ['body', body ?? {}] as const].flatMap(
        ([name, schema]) => endless(resolved(schema)).map((at) => `${id}: ${name}${at}`),
      ),
    )
    assert.deepEqual(unbounded, [])
  })
})

/** Where a schema sets no bounds. */
function endless(schema: Json, at = ''): string[] {
  const types = [schema.type].flat()
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>)
  const isOpen =
    (types.includes('string') && schema.maxLength === undefined && schema.enum === undefined) ||
    (types.includes('array') && schema.maxItems === undefined) ||
    ((types.includes('number') || types.includes('integer')) && schema.maximum === undefined)
  return [...(isOpen ? [at] : []), ...fields.flatMap(([name, field]) => endless(field, `${at}.${name}`))]
}
