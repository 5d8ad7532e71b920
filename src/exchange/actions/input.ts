import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Action, Field, Input } from './action.ts'
import { capital, type Kind, type Typed, valueOf } from './values.ts'

/** A field whose label is its name, unless it has another one. */
export const field = <Value, Subject = unknown>(
  name: string,
  kind: Kind<Value>,
  rest: Partial<Field<Subject>> = {},
): Field<Subject> & Typed<Value> => ({ label: capital(name.replaceAll('_', ' ')), ...rest, name, kind })

export const inputOf = (given: Omit<Input, 'value'>): Input => ({
  ...given,
  value: (of) => {
    const typed = given.text(of.name)
    return typed === undefined ? undefined : valueOf(of, typed)
  },
})

/** The value of a field that no door leaves out. */
export function required<Value>({ value }: Input, of: Typed<Value> & { label: string }): Value {
  const given = value(of)
  if (given === undefined) throw badField(of.name, `${of.label} is missing.`)
  return given
}

/** Refuses what is no value of its field. */
export function refuseWrongValues({ fields }: Pick<Action<never>, 'fields'>, given: Input): void {
  for (const one of fields) if (!one.document) given.value(one)
}

/** What is said with a field: its form, where neither a choice nor a text, and its help. */
export const hintOf = ({ kind: { form, isPlain }, help, document }: Field<never>): string | undefined =>
  [isPlain || document ? '' : `${capital(form)}.`, help ?? ''].join(' ').trim() || undefined

/** What refuses fields by the names that the API has for them refuses them by their own. `say`: how a door says it. */
export async function withFieldNames<Result>(
  fields: readonly Field<never>[],
  work: () => Promise<Result>,
  say: (message: string, field: Field<never>) => string = (message) => message,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const of = (path: string) => fields.find(({ name, refusedAs }) => path === name || path === refusedAs)
    const problems = error.problems.map((one) => ({ ...one, path: of(one.path)?.name ?? one.path }))
    const [wrong] = error.problems.flatMap(({ path }) => of(path) ?? [])
    const message = wrong ? say(error.message, wrong) : error.message
    throw new Refusal(error.code, message, problems, error.retryAfterSeconds, error.facts)
  }
}
