import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse, stringify } from 'yaml'

import { projectFolder } from './source.ts'

/** A document, or a part of one. */
export type Json = Record<string, unknown>

/** The document as it is committed. */
export const documentFile = join(projectFolder, 'openapi.yaml')

/** The committed document itself. */
export const committedDocument = (): Json => parse(readFileSync(documentFile, 'utf8')) as Json

/** Where the examples stand that a sandbox gave. */
export const examplesFile = join(projectFolder, 'assets/api-examples.json')

/** The origin that stands in what is committed, whichever it was that answered. */
export const exampleOrigin = 'https://exchange.example'

/** A served document as it is committed: as of production, at an origin that is nobody's. */
export function committedForm(served: Json): Json {
  const { info, servers } = served as { info: { contact: Json }; servers: Json[] }
  return {
    ...served,
    info: { ...info, contact: { ...info.contact, url: exampleOrigin } },
    servers: servers.map((one) => ({ ...one, url: exampleOrigin, description: 'A production exchange' })),
  }
}

/** The document as YAML: the same object gives the same text. */
export const yamlOf = (document: Json): string =>
  `# Made from what the routes declare. To update it: WRITE_PAPERS=1 npm test -- openapi\n${stringify(document, {
    lineWidth: 120,
    aliasDuplicateObjects: false,
  })}`

/** A parameter of an operation. */
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: Json }

/** An operation at its place, with every reference resolved. */
export type Placed = {
  id: string
  method: 'GET' | 'POST'
  path: string
  /** `anyone`, `any-key` or `secret-key`. */
  access: string
  parameters: Parameter[]
  body: Json | undefined
}

export function operationsOf(document: Json): Placed[] {
  const whole = (value: unknown) => resolved(value, document)
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const body = operation.requestBody as { content: { 'application/json': { schema: Json } } } | undefined
      return {
        id: String(operation.operationId),
        method: method.toUpperCase() as Placed['method'],
        path,
        access: String(operation['x-access']),
        parameters: whole(operation.parameters) as unknown as Parameter[],
        body: body && whole(body.content['application/json'].schema),
      }
    }),
  )
}

/** A part of a document with what it refers to in its place. */
export function resolved(value: unknown, document: Json = {}): Json {
  if (Array.isArray(value)) return value.map((item) => resolved(item, document)) as unknown as Json
  if (typeof value !== 'object' || value === null) return value as Json
  const { $ref, ...rest } = value as Json
  const own = Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, resolved(item, document)]))
  if (typeof $ref !== 'string') return own
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => (part as Json)[name], document)
  return { ...resolved(target, document), ...own }
}
