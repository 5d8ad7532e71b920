import { type RefusalCode, refusals } from '../../../platform/lib/refusal.ts'
import { errorRecord } from '../error-shape.ts'
import type { Input, Operation, Tag } from '../operation.ts'
import { type DeclaredRoute, pathOf } from './declared-route.ts'
import { codesOf, headerParameters, headerParametersOf, headers, headersOf, meanings } from './door.ts'
import { securityOf, securitySchemes } from './door.ts'
import type { Examples, Exchanged } from './examples.ts'
import { introduction } from './introduction.ts'
import { webhooksOf } from './webhooks.ts'
import { type Json, type ShapeWriter, shapeWriter } from './write-shapes.ts'

const tags: Readonly<Record<Tag | 'Webhooks', string>> = {
  Status: 'Whether the exchange is open.',
  Currencies: 'What can be exchanged.',
  Estimates: 'What an exchange would cost and pay out.',
  Transactions: 'Exchanges of customers.',
  'Payment categories': 'How customers pay and are paid, and where.',
  Customers: 'What is known about customers: status, risk level and limits.',
  B2B: 'Exchanges of institutions, paid to registered addresses. The account needs the feature `b2b`.',
  Webhooks: 'Events that we send to partners.',
}

/** What a document is made of. */
export type Source = { routes: readonly DeclaredRoute[]; examples: Examples; publicUrl: string; serverName: string }

/** Makes the OpenAPI document of what the routes declare. The same source gives the same document, key for key. */
export function openApiDocument({ routes, examples, publicUrl, serverName }: Source): Json {
  const writer = shapeWriter()
  const ordered = routes.toSorted((one, other) => tagOrder(one) - tagOrder(other))
  const paths: Record<string, Json> = {}
  for (const route of ordered) {
    const path = pathOf(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, writer, examples) }
  }
  const webhooks = webhooksOf(writer, examples)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cambio partner interface',
      version: '1.0.0',
      summary: 'Exchanges between money and coins, for partners who integrate them.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this exchange', url: publicUrl },
    },
    servers: [{ url: publicUrl, description: serverName, 'x-internal': false }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes,
      parameters: headerParameters,
      headers,
      examples: errorExamples(routes, examples),
      schemas: writer.components(),
    },
  }
}

const tagNames = Object.keys(tags)
const tagOrder = ({ config }: DeclaredRoute): number => tagNames.indexOf(config.operation.tag)

function operationOf(route: DeclaredRoute, writer: ShapeWriter, examples: Examples): Json {
  const { operation, access } = route.config
  const asked = examples.operations[operation.id] ?? []
  const [first] = asked
  const body = operation.body
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description + whoMay(access),
    tags: [operation.tag],
    security: securityOf(route),
    'x-access': access,
    parameters: [
      ...inputsOf(writer, 'path', operation.path, first?.request.path),
      ...inputsOf(writer, 'query', operation.query, first?.request.query),
      ...headerParametersOf(route),
    ],
    ...(body
      ? {
          requestBody: {
            required: body.required.length > 0,
            content: { 'application/json': { schema: writer.input(body), ...exampleOf(first?.request.body) } },
          },
        }
      : {}),
    responses: { ...successesOf(route, writer, asked), ...refusalsOf(route, writer, examples) },
  }
}

const whoMay = (access: string | undefined): string => {
  if (access === 'secret-key') return '\n\nNeeds a **secret** key.'
  return access === 'any-key' ? '\n\nTakes a public or a secret key.' : '\n\nNeeds no key; a bad one is refused.'
}

const exampleOf = (example: unknown): Json => (example === undefined ? {} : { example })

const inputsOf = (
  writer: ShapeWriter,
  place: 'path' | 'query',
  inputs: Readonly<Record<string, Input>> = {},
  given: Readonly<Record<string, string>> = {},
): Json[] =>
  Object.entries(inputs).map(([name, { shape, about, isRequired = false, isDeprecated = false }]) => ({
    name,
    in: place,
    description: about,
    required: isRequired,
    ...(isDeprecated ? { deprecated: true } : {}),
    schema: writer.input(shape),
    ...exampleOf(given[name]),
  }))

function successesOf(route: DeclaredRoute, writer: ShapeWriter, asked: readonly Exchanged[]): Json {
  const { operation } = route.config
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, shape]) => {
      const answered = asked.find((one) => String(one.status) === status)
      const description = operation.says[Number.parseInt(status, 10)]
      if (description === undefined) throw new Error(`${operation.id} does not say what ${status} means.`)
      const content = { schema: writer.answer(shape), ...exampleOf(answered?.answer) }
      const links = linksOf(operation)
      return [
        status,
        {
          description,
          headers: headersOf(route, Number.parseInt(status, 10)),
          ...(shape.type === 'null' ? {} : { content: { 'application/json': content } }),
          ...(links ? { links } : {}),
        },
      ]
    }),
  )
}

const linksOf = ({ links }: Operation): Json | undefined =>
  links &&
  Object.fromEntries(
    links.map(({ name, to, parameter, from, about }) => [
      name,
      { operationId: to, parameters: { [parameter]: from }, description: about },
    ]),
  )

/** Every status that is not 2xx, with the codes that it may have. */
function refusalsOf(route: DeclaredRoute, writer: ShapeWriter, { errors }: Examples): Json {
  const codes = codesOf(route)
  const { refusedAs = {} } = route.config.operation
  const statuses = [...new Set(codes.map((code) => refusals[code]))]
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => refusals[code] === status)
      const shown = own.filter((code) => errors[code] !== undefined)
      const examples = Object.fromEntries(shown.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
      return [
        String(status),
        {
          description: own.map((code) => `\`${code}\`: ${meanings[code]}.`).join(' '),
          headers: headersOf(route, status),
          content: {
            'application/json': {
              schema: writer.answer(refusedAs[status] ?? errorRecord),
              ...(shown.length > 0 ? { examples } : {}),
            },
          },
        },
      ]
    }),
  )
}

function errorExamples(routes: readonly DeclaredRoute[], { errors }: Examples): Json {
  const used = new Set(routes.flatMap(codesOf))
  return Object.fromEntries(
    (Object.keys(refusals) as RefusalCode[])
      .filter((code) => used.has(code) && errors[code] !== undefined)
      .map((code) => [code, { summary: meanings[code], value: errors[code] }]),
  )
}
