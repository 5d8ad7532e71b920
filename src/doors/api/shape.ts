import type { FastifyTypeProvider } from 'fastify'

/**
 * A JSON Schema with the TypeScript type of what it describes, so that a record's schema, its serializer and its type are
 * written once. `value` exists for the compiler only.
 */
export type Shape<T> = { readonly type: string | readonly string[]; readonly value?: T }

/** What keeps a value within bounds, in the terms of JSON Schema. A shape with a title is written once in the document. */
export type Bounds = {
  title?: string
  description?: string
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  examples?: readonly unknown[]
}

/** What a shape describes. */
export type Shaped<S> = S extends Shape<infer T> ? T : never

/** Lets the compiler hold every answer of a route against the shape that the route declares for it. */
export interface ShapeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends Shape<infer T> ? T : unknown
  serializer: this['schema'] extends Shape<infer T> ? T : unknown
}

type Properties = Readonly<Record<string, Shape<unknown>>>
type ObjectOf<P extends Properties> = { [Name in keyof P]: Shaped<P[Name]> }

/** What every text of ours is: without control characters. */
export const printable = '^[^\\u0000-\\u001f\\u007f]*$'

/** A text of a certain form. */
export const textOf = (bounds: Bounds & { maxLength: number }): Shape<string> & Bounds => ({
  type: 'string',
  pattern: printable,
  ...bounds,
})

/** A text of at most so many characters. */
const line = (maxLength: number): Shape<string> & Bounds => textOf({ maxLength })

export const text = line(1_000)

const shapesOfNullable = new WeakMap<object, Shape<unknown>>()

/** The same, or null. An enumeration lists null too. */
export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  const { title: _title, description: _description, ...bounds } = shape as Bounds
  const values = 'enum' in shape && Array.isArray(shape.enum) ? { enum: [...(shape.enum as unknown[]), null] } : {}
  const nullable = { ...bounds, ...values, type: [shape.type, 'null'].flat() }
  shapesOfNullable.set(nullable, shape)
  return nullable
}

/** The same shape, with its own description at this place. */
export function about<S extends Shape<unknown>>(shape: S, description: string): S {
  const said = { ...shape, description }
  const inner = shapesOfNullable.get(shape)
  if (inner) shapesOfNullable.set(said, inner)
  return said
}

/** The shape that `orNull` made this one from. */
export const shapeOfNullable = (shape: object): Shape<unknown> | undefined => shapesOfNullable.get(shape)

/** A text that may be missing. */
export const textOrNull = orNull(text)

/** One of a few values. */
export const oneOf = <Value extends string>(
  ...values: readonly Value[]
): Shape<Value> & { enum: readonly Value[] } => ({
  type: 'string',
  enum: values,
})

/** A yes or no. */
export const flag: Shape<boolean> = { type: 'boolean' }

/** A JSON number, in the few places where the interface has one. */
export const number: Shape<number> & Bounds = { type: 'number', minimum: 0, maximum: 1e30 }

/** No body at all. */
export const nothing: Shape<null> = { type: 'null' }

/** A whole JSON number. */
export const wholeNumber = (minimum: number, maximum: number): Shape<number> & Bounds => ({
  type: 'integer',
  format: 'int32',
  minimum,
  maximum,
})

/** A number of one thing, at most so many. */
export const list = <T>(items: Shape<T>, maxItems = 100): Shape<T[]> & { items: Shape<T>; maxItems: number } => ({
  type: 'array',
  items,
  maxItems,
})

/** An object with just these fields, all of them there. A field that is not named does not leave the service. */
export const object = <P extends Properties>(
  properties: P,
): Shape<ObjectOf<P>> & { properties: P; required: string[] } => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** Names a shape: the document defines it once, under this name. */
export const titled = <S extends Shape<unknown>>(title: string, shape: S): S => ({ ...shape, title })

/** The same as `object`, or null; `optional` fields are there only sometimes. */
export const objectOrNull = <P extends Properties, Q extends Properties>(
  properties: P,
  optional: Q,
): Shape<(ObjectOf<P> & Partial<ObjectOf<Q>>) | null> & { properties: object; required: string[] } => ({
  type: ['object', 'null'],
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
})

/** An object of several kinds: whatever `optional` names is there for some of them only. */
export const eitherOf = <T>(
  properties: Properties,
  optional: readonly string[],
): Shape<T> & { properties: object; required: string[] } => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

/** One of several shapes; for documents only, because a serializer would have to try each. */
export const anyOf = (...shapes: readonly Shape<unknown>[]): Shape<unknown> & { anyOf: readonly Shape<unknown>[] } => ({
  type: 'object',
  anyOf: shapes,
})
