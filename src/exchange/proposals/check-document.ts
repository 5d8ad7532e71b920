import { createRequire } from 'node:module'

import type * as Ajv8 from 'ajv'

import { parseDuration } from '../../platform/lib/duration.ts'
import type { DocumentProblem } from '../policies/kind.ts'
import { type Kind, policyKinds } from '../policies/kinds.ts'

// Few processes ever check a document: the validator is loaded when there is one.
const load = createRequire(import.meta.url)

/** Everything that is wrong with a document by itself: what does not fit its schema, or else what contradicts itself. */
export function documentProblems(kind: Kind, document: unknown): DocumentProblem[] {
  const { schema, contradictions } = policyKinds[kind]
  const { Ajv } = load('ajv') as typeof Ajv8
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true })
  ajv.addFormat('duration', isDuration)
  const validate = ajv.compile(schema)
  if (!validate(document)) return (validate.errors ?? []).map(problemOf).filter(isFirst)
  const find: (document: never) => DocumentProblem[] = contradictions
  return find(document as never)
}

function isDuration(text: string): boolean {
  try {
    return parseDuration(text) >= 0
  } catch {
    return false
  }
}

function problemOf({ instancePath, keyword, params, message = 'is invalid' }: Ajv8.ErrorObject): DocumentProblem {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((spelled, part) => (/^\d+$/.test(part) ? `${spelled}[${part}]` : `${spelled}${spelled && '.'}${part}`), '')
  const details = params as Readonly<Record<string, unknown>>
  if (keyword === 'required') return { path: joined(path, details.missingProperty), message: 'is missing' }
  if (keyword === 'additionalProperties') {
    return { path: joined(path, details.additionalProperty), message: 'is not a known field' }
  }
  if (keyword === 'enum') return { path, message: `must be one of ${(details.allowedValues as unknown[]).join(', ')}` }
  return { path, message }
}

const joined = (path: string, name: unknown): string => `${path}${path && '.'}${String(name)}`

const isFirst = ({ path, message }: DocumentProblem, at: number, all: DocumentProblem[]): boolean =>
  all.findIndex((one) => one.path === path && one.message === message) === at
