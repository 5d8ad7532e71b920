import fc, { type Arbitrary } from 'fast-check'

import { anyCodePoint } from './any-code-point.ts'
import type { Json, Parameter, Placed } from './openapi.ts'

/** Which key a request is sent with. */
export const keyKinds = ['none', 'bad', 'public', 'secret', 'other'] as const

/** A request to be sent: `body` is sent byte for byte. */
export type Shot = {
  method: string
  url: string
  key: (typeof keyKinds)[number]
  headers: Record<string, string>
  body: string | undefined
}

/** What readers stumble over. */
const nasty: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'null', true, false, 0, -1, 1e308, 5e-7, 1.005, [], {}, ['a'], { a: { b: [1] } }),
  fc.constantFrom(
    '+1',
    ' 1',
    '1.',
    '.5',
    '1e3',
    '٣',
    '0x10',
    '-0',
    'Infinity',
    'NaN',
    '9'.repeat(40),
    '0.'.padEnd(40, '1'),
  ),
  fc.constantFrom('\u0000', '\ud800', '😀', 'ı', 'ß', '\u202e', '\r\n', '__proto__', 'constructor', 'toString'),
  fc.constantFrom('4242 4242 4242 4242', "' or 1=1 --", '<script>', '../../etc', '%00', '$$', 'x'.repeat(300)),
  fc.string({ unit: anyCodePoint, maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** A value as a schema describes it. */
function fitting(schema: Json): Arbitrary<unknown> {
  const {
    enum: words,
    examples,
    pattern,
    properties,
    anyOf,
  } = schema as {
    enum?: unknown[]
    examples?: unknown[]
    pattern?: string
    properties?: Record<string, Json>
    anyOf?: Json[]
  }
  if (words) return fc.constantFrom(...words)
  if (anyOf) return fc.oneof(...anyOf.map(fitting))
  if (properties) return objectOf(properties, 0)
  const ways: Arbitrary<unknown>[] = []
  if (examples && examples.length > 0) ways.push(fc.constantFrom(...examples))
  if (pattern !== undefined) ways.push(fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }))
  if ([schema.type].flat().includes('number')) ways.push(fc.double({ min: 0, max: 1e6, noNaN: true }))
  return ways.length > 0 ? fc.oneof(...ways) : fc.string({ maxLength: 40 })
}

/** An object with some of its fields, of which so many in a hundred are not what they should be. */
const objectOf = (properties: Record<string, Json>, spoiled: number): Arbitrary<Json> =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, mixed(field, spoiled)])), {
    requiredKeys: [],
  })

const mixed = (schema: Json, spoiled: number): Arbitrary<unknown> =>
  fc.oneof({ weight: 100 - spoiled, arbitrary: fitting(schema) }, { weight: spoiled, arbitrary: nasty })

/** A good body with some of its fields changed. */
const changed = (good: Json, { properties }: { properties?: Record<string, Json> }): Arbitrary<Json> =>
  objectOf(properties ?? {}, 15).chain((change) =>
    fc.subarray(Object.keys(change), { maxLength: Math.min(3, Object.keys(change).length) }).map((names) => ({
      ...good,
      ...Object.fromEntries(names.map((name) => [name, change[name]])),
    })),
  )

const brokenBodies = fc.constantFrom(
  '',
  '{',
  '[]',
  '"x"',
  'null',
  '1e400',
  '{"from_amount": 1e400, "from_currency": "EUR", "to_currency": "BTC"}',
  '{"from_amount": 0.1000000000000000000000000000001, "from_currency": "EUR", "to_currency": "BTC"}',
  '{"__proto__": {"from_amount": 1}, "from_amount": 1, "from_amount": 2}',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  `{"locale": "${'x'.repeat(270_000)}"}`,
)

function bodyOf({ body }: Placed, good: Json | undefined): Arbitrary<string | undefined> {
  if (!body) return fc.constant(undefined)
  const schema = body as { properties?: Record<string, Json> }
  const written = (value: unknown): string => JSON.stringify(value)
  return fc.oneof(
    { weight: 20, arbitrary: fc.constant(written(good ?? {})) },
    { weight: 40, arbitrary: changed(good ?? {}, schema).map(written) },
    { weight: 20, arbitrary: objectOf(schema.properties ?? {}, 20).map(written) },
    { weight: 15, arbitrary: brokenBodies },
    { weight: 5, arbitrary: fc.jsonValue().map(written) },
  )
}

const part = (value: unknown): string =>
  encodeURIComponent((typeof value === 'string' ? value : JSON.stringify(value)).replace(/[\ud800-\udfff]/g, '?'))

const pathOf = ({ path, parameters }: Placed, known: readonly string[]): Arbitrary<string> => {
  const names = parameters.filter((one) => one.in === 'path')
  const raw = fc.constantFrom('%zz', '%2e%2e', '%00', '%F0%9F%98%80', 'x'.repeat(200), '9'.repeat(25))
  const values = names.map(({ schema }) =>
    fc.oneof(fitting(schema).map(part), fc.constantFrom(...known), nasty.map(part), raw),
  )
  return fc
    .tuple(...values)
    .map((filled) => names.reduce((text, { name }, index) => text.replace(`{${name}}`, filled[index] || 'x'), path))
}

const queryOf = ({ parameters }: Placed, good: Readonly<Record<string, string>>): Arbitrary<string> => {
  const named = parameters.filter((one) => one.in === 'query')
  const pair = ({ name, schema }: Parameter): Arbitrary<string> =>
    mixed(schema, 20).map((value) => `${name}=${part(value)}`)
  const strange = fc.tuple(nasty, nasty).map(([name, value]) => `${part(name)}=${part(value)}`)
  const goodPairs = Object.entries(good).map(([name, value]) => `${name}=${part(value)}`)
  if (named.length === 0) return fc.oneof(fc.constant(''), strange)
  const some = fc.array(fc.oneof({ weight: 9, arbitrary: fc.oneof(...named.map(pair)) }, strange), { maxLength: 6 })
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(goodPairs.join('&')) },
    { weight: 3, arbitrary: some.map((pairs) => [...goodPairs, ...pairs].join('&')) },
    { weight: 3, arbitrary: some.map((pairs) => pairs.join('&')) },
  )
}

/** What is known to be good: bodies and queries of the document's examples, ids of things that are there. */
export type Known = { body: Json | undefined; query: Readonly<Record<string, string>>; ids: readonly string[] }

/** Requests of one operation, good and bad. */
export const shots = (operation: Placed, known: Known): Arbitrary<Shot> =>
  fc
    .record({
      path: pathOf(operation, known.ids),
      query: queryOf(operation, known.query),
      body: bodyOf(operation, known.body),
      key: fc.oneof({ weight: 2, arbitrary: fc.constant('secret' as const) }, fc.constantFrom(...keyKinds)),
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constant('application/json') },
        fc.constantFrom('text/plain', 'application/json; charset=latin1', 'application/xml'),
      ),
      once: fc.oneof(
        { weight: 8, arbitrary: fc.constant(undefined) },
        fc.constantFrom('a', 'b', 'x'.repeat(300)),
        fc.nat(100).map(String),
      ),
      forwarded: fc.option(fc.constantFrom('192.0.2.10', 'nonsense', '::1, 10.0.0.1'), { freq: 6, nil: undefined }),
    })
    .map(({ path, query, body, key, type, once, forwarded }) => ({
      method: operation.method,
      url: query === '' ? path : `${path}?${query}`,
      key,
      body,
      headers: {
        ...(body === undefined ? {} : { 'content-type': type }),
        ...(once === undefined ? {} : { 'idempotency-key': once }),
        ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
      },
    }))
