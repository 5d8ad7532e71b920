/**
 * `npm run build:sdk`: compiles the client in `sdk/` to `sdk/dist`. With `--types` it first writes `sdk/src/schema.ts` from
 * openapi.yaml; a test fails if that file is not what openapi.yaml says.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { parse } from 'yaml'

import { root } from './build.js'

/**
 * @typedef {{
 *   $ref?: string, const?: unknown, enum?: unknown[], oneOf?: Schema[], anyOf?: Schema[], allOf?: Schema[],
 *   type?: string | string[], properties?: Record<string, Schema>, required?: string[], items?: Schema,
 *   additionalProperties?: Schema | boolean, description?: string
 * }} Schema
 * @typedef {{ name: string, in?: string, required?: boolean, schema?: Schema, description?: string }} Parameter
 * @typedef {{ operationId?: string, parameters?: Parameter[] }} Operation
 * @typedef {{ components: { schemas: Record<string, Schema> }, paths: Record<string, Record<string, Operation>> }} OpenApi
 */

/**
 * A JSON Schema as a type. Formats and bounds have no type.
 *
 * @param {Schema | boolean | undefined} schema
 * @returns {string}
 */
function typeOf(schema) {
  if (schema === undefined || schema === true) return 'unknown'
  if (schema === false) return 'never'
  if (schema.$ref) return `components['schemas']['${schema.$ref.split('/').at(-1)}']`
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  const union = schema.oneOf ?? schema.anyOf
  if (union) return union.map(typeOf).join(' | ')
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ')
  const types = [schema.type ?? (schema.properties ? 'object' : undefined)].flat()
  return types.map((type) => plainType(type, schema)).join(' | ')
}

/**
 * @param {string | undefined} type
 * @param {Schema} schema
 * @returns {string}
 */
function plainType(type, schema) {
  switch (type ?? '') {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `(${typeOf(schema.items)})[]`
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}

/** @param {Schema} schema */
function objectType({ properties = {}, required = [], additionalProperties }) {
  const names = Object.keys(properties)
  if (names.length === 0)
    return typeof additionalProperties === 'object'
      ? `Record<string, ${typeOf(additionalProperties)}>`
      : 'Record<string, unknown>'
  return `{ ${names.map((name) => `${comment(properties[name])}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(properties[name])}`).join('; ')} }`
}

const key = (/** @type {string} */ name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))
const comment = (/** @type {{ description?: string }} */ { description } = {}) =>
  description ? `/** ${description.replaceAll('*/', '* /').replaceAll('\n', ' ')} */ ` : ''

/** The types of openapi.yaml: every schema, and the query of every operation. */
export function schemaTypes() {
  const document = /** @type {OpenApi} */ (parse(readFileSync(join(root, 'openapi.yaml'), 'utf8')))
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `    ${comment(schema)}${key(name)}: ${typeOf(schema)}`,
  )
  const operations = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .filter((operation) => operation.operationId)
    .map(({ operationId, parameters = [] }) => {
      const query = parameters.filter((one) => one.in === 'query')
      const fields = query.map(
        (one) => `${comment(one)}${key(one.name)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`,
      )
      return `  ${operationId}: { ${fields.join('; ')} }`
    })
  return [
    '// Written by `npm run build:sdk -- --types` from openapi.yaml. Do not edit.',
    'export type components = {\n  schemas: {',
    ...schemas,
    '  }\n}\n',
    '/** The query of each operation. */\nexport type queries = {',
    ...operations,
    '}\n',
  ].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--types')) writeFileSync(join(root, 'sdk/src/schema.ts'), schemaTypes())
  rmSync(join(root, 'sdk/dist'), { recursive: true, force: true })
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'sdk'], { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
