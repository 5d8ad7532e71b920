import type { Schema } from '../../platform/lib/schema.ts'

/** One value of a document as a form shows it. `path` is spelled `methods.VISA_MC`; `options`: the values that it may have. */
export type DocumentField = {
  path: string
  /** The path as people read it: the label is below the heading of its group, where it has one. */
  group: string | undefined
  label: string
  value: string
  kind: 'text' | 'list' | 'choice'
  options: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>
type Step = string | number

/** The single values of a document, and of its schema those that may be added. Whole elements of lists are changed as JSON. */
export const fieldsOf = (schema: Schema, document: unknown): DocumentField[] =>
  leavesOf(schema, document).map(({ steps, names, schema: of, value }) => {
    const [group = '', ...rest] = names
    return {
      path: pathOf(steps),
      group: rest.length === 0 ? undefined : group,
      label: rest.length === 0 ? group : rest.join(', '),
      value: Array.isArray(value) ? value.join(' ') : textOf(value),
      kind: Array.isArray(value) ? 'list' : optionsOf(of, value).length > 0 ? 'choice' : 'text',
      options: optionsOf(of, value),
    }
  })

/** The document with the values that a form has, in the fields `NAME.methods.VISA_MC` for a document called NAME. An empty text removes what may be missing, or is null where that is allowed. */
export function documentOf(schema: Schema, document: unknown, form: URLSearchParams, name: string): unknown {
  const changed: unknown = structuredClone(document)
  for (const { steps, schema: of, value, isOptional } of leavesOf(schema, document)) {
    const text = form.get(`${name}.${pathOf(steps)}`)?.trim()
    if (text === undefined) continue
    put(changed, steps, text === '' && isOptional ? undefined : valueOf(of, value, text))
  }
  return changed
}

type Leaf = { steps: Step[]; names: string[]; schema: Schema; value: unknown; isOptional: boolean }

function leavesOf(
  schema: Schema,
  value: unknown,
  steps: Step[] = [],
  names: string[] = [],
  isOptional = false,
): Leaf[] {
  if (Array.isArray(value) && value.some((one) => typeof one === 'object')) {
    return value.flatMap((one: unknown, at) =>
      leavesOf(inside(schema, at), one, [...steps, at], [...names, nameOf(one) ?? String(at + 1)]),
    )
  }
  if (isFields(value)) {
    const own = alternativeFor(schema, value)
    const properties = isFields(own.properties) ? Object.keys(own.properties) : []
    const required = Array.isArray(own.required) ? (own.required as unknown[]) : []
    return [...new Set([...properties, ...Object.keys(value)])].flatMap((name) =>
      leavesOf(inside(own, name), value[name], [...steps, name], [...names, readable(name)], !required.includes(name)),
    )
  }
  if (value === undefined && !isScalar(schema)) return []
  return [{ steps, names, schema, value, isOptional }]
}

/** Of alternatives, the one that an object is of: it has its members, and a constant that is the same. */
function alternativeFor(schema: Schema, value: Fields): Schema {
  const fits = ({ properties }: Schema): boolean =>
    isFields(properties) &&
    Object.entries(value).every(([name, member]) => {
      const of = properties[name]
      if (!isFields(of)) return false
      return of.const === undefined && !Array.isArray(of.enum) ? true : [of.const, of.enum].flat().includes(member)
    })
  return alternatives(schema).find(fits) ?? schema
}

/** The schema of a member or an element. */
function inside({ properties, items, additionalProperties }: Schema, step: Step): Schema {
  const member = isFields(properties) ? properties[step] : undefined
  const found = typeof step === 'number' ? items : (member ?? additionalProperties)
  return isFields(found) ? found : {}
}

const alternatives = (schema: Schema): Schema[] => (Array.isArray(schema.anyOf) ? (schema.anyOf as Schema[]) : [schema])

const isScalar = (schema: Schema): boolean =>
  alternatives(schema).some(
    ({ type, enum: values }) => values !== undefined || (type !== undefined && type !== 'object' && type !== 'array'),
  )

const optionsOf = (schema: Schema, value: unknown): string[] => {
  if (typeof value === 'boolean') return ['yes', 'no']
  return Array.isArray(schema.enum) ? schema.enum.map(String) : []
}

function valueOf(schema: Schema, before: unknown, text: string): unknown {
  if (Array.isArray(before)) return text === '' ? [] : text.split(/[\s,]+/)
  if (typeof before === 'boolean') return text === 'yes'
  if (text === '' && alternatives(schema).some(({ type }) => type === 'null')) return null
  const isNumber = alternatives(schema).some(({ type }) => type === 'integer')
  return isNumber && /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : text
}

function put(document: unknown, steps: Step[], value: unknown): void {
  const last = steps.at(-1) ?? ''
  const holder = steps.slice(0, -1).reduce<unknown>((of, step) => (of as Fields)[step], document) as Record<
    Step,
    unknown
  >
  if (value === undefined) delete holder[last]
  else holder[last] = value
}

const nameOf = (value: unknown): string | undefined => {
  const name = isFields(value) ? (value.name ?? value.period ?? value.fact) : undefined
  return typeof name === 'string' ? name : undefined
}

const pathOf = (steps: Step[]): string => steps.join('.')
const readable = (name: string): string => (/[A-Z]/.test(name) ? name : name.replaceAll('_', ' '))
function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
