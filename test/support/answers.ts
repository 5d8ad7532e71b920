import assert from 'node:assert/strict'

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import { sandboxAnswers } from '../../src/sandbox/api/shapes.ts'
import { committedDocument, type Json } from './openapi.ts'

/** An answer as it came, to a request. */
export type Given = { method: string; url: string; status: number; contentType: string; text: string }

/** Holds answers against a document: throws for one that it does not allow. */
export type AnswerCheck = (given: Given) => void

type Operation = { operationId: string; responses: Record<string, unknown> }
type Place = { pattern: RegExp; path: string; operations: Record<string, Operation> }

/** An address under /v1 that only tests have. */
const isUndocumented = (path: string): boolean => path === '/v1/for-secrets'

/** The sandbox's controls, which are in no document: as places of one, by the schemas that they are written with. */
const sandboxPaths = (): Record<string, Record<string, Operation>> => {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [route, answers] of Object.entries<Record<string, object>>(sandboxAnswers)) {
    const [method = '', url = ''] = route.split(' ')
    const path = `/v1${url.replace(/:(\w+)/g, '{$1}')}`
    const schemas = Object.entries(answers).map(([status, schema]): [string, unknown] => [
      status,
      { content: { 'application/json': { schema: '$ref' in schema ? anyTransaction : schema } } },
    ])
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { operationId: route, responses: Object.fromEntries(schemas) },
    }
  }
  return paths
}

const anyTransaction = {
  anyOf: ['Transaction', 'B2bTransaction'].map((title) => ({ $ref: `openapi#/components/schemas/${title}` })),
}

let committed: AnswerCheck | undefined

/**
 * The check against the document as it is committed. Another test keeps that one equal to what every exchange serves, so no test
 * asks its exchange for it: writing, compressing and reading half a megabyte would cost as much as the rest of a start.
 */
export const answerCheck = (): AnswerCheck => (committed ??= checkBy(committedDocument()))

/**
 * Reads a document. Of an answer it then asks: is the status one that the operation declares, is it JSON, and is it in
 * every field what the schema says, with nothing else. An unknown operation must answer with one of our errors.
 */
function checkBy(document: Json): AnswerCheck {
  // Whether the document is a good one is another test's question (openapi.test.ts): here it would cost every file.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const sandbox = sandboxPaths()
  ajv.addSchema({ paths: sandbox }, 'sandbox')
  const validators = new Map<string, ValidateFunction>()
  const paths = { ...(document.paths as Record<string, Record<string, Operation>>), ...sandbox }
  // A literal address goes before a pattern that fits it too.
  const places: Place[] = Object.entries(paths)
    .map(([path, operations]) => ({ path, operations, pattern: patternOf(path) }))
    .toSorted((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')))

  const validate = (pointer: string, { text }: Given, what: string): void => {
    const validator = validators.get(pointer) ?? ajv.compile({ $ref: pointer })
    validators.set(pointer, validator)
    if (validator(JSON.parse(text))) return
    assert.fail(`${what} is not what its schema says: ${ajv.errorsText(validator.errors)}\n${text.slice(0, 2_000)}`)
  }
  const isError = (given: Given, what: string) => validate('openapi#/components/schemas/Error', given, what)

  return (given) => {
    const [sent = ''] = given.url.split('?', 1)
    const path = sent.replace(/(?<=.)\/$/, '')
    const method = given.method.toLowerCase()
    if (!path.startsWith('/v1/') || method === 'head' || method === 'options') return
    const what = `${given.method} ${path}: ${given.status}`
    const place = places.find(({ pattern }) => pattern.test(path))
    const operation = place?.operations[method]
    if (!place || !operation) {
      if (given.status >= 400 && given.contentType.startsWith('application/json')) isError(given, what)
      if (place) assert.equal(given.status, 405, `${what}: the document has no such operation`)
      else assert(given.status >= 400 || isUndocumented(path), `${what}: it is not in the document`)
      return
    }
    const isOfSandbox = place.path in sandbox
    if (isOfSandbox && given.status >= 400) {
      isError(given, what)
      return
    }
    assert(given.status in operation.responses, `${what}: ${operation.operationId} does not declare this status`)
    if (given.status === 204) return assert.equal(given.text, '', what)
    assert.match(given.contentType, /^application\/json/, what)
    const pointer = [
      'paths',
      place.path,
      method,
      'responses',
      String(given.status),
      'content',
      'application/json',
      'schema',
    ]
    const document = isOfSandbox ? 'sandbox#' : 'openapi#'
    validate(document + pointer.map((part) => `/${escaped(part)}`).join(''), given, what)
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`)

/** A part of a JSON pointer in a URL. */
const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
