import type { FastifyTypeProvider } from 'fastify'

/**
 * A JSON Schema with the TypeScript type of what it describes, so that a record's schema, its serializer and its type are
 * written once. `value` exists for the compiler only.
 */
export type Shape<T> = { readonly type: string | readonly string[]; readonly value?: T }

/** What a shape describes. */
export type Shaped<S> = S extends Shape<infer T> ? T : never

/** Lets the compiler hold every answer of a route against the shape that the route declares for it. */
export interface ShapeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends Shape<infer T> ? T : unknown
  serializer: this['schema'] extends Shape<infer T> ? T : unknown
}

type Properties = Readonly<Record<string, Shape<unknown>>>
type ObjectOf<P extends Properties> = { [Name in keyof P]: Shaped<P[Name]> }

/** A text. */
export const text: Shape<string> = { type: 'string' }

/** A text that may be missing. */
export const textOrNull: Shape<string | null> = { type: ['string', 'null'] }

/** One of a few words. */
export const oneOf = <Word extends string>(...words: readonly Word[]): Shape<Word> & { enum: readonly Word[] } => ({
  type: 'string',
  enum: words,
})

/** A yes or no. */
export const flag: Shape<boolean> = { type: 'boolean' }

/** A JSON number, in the few places where the interface has one. */
export const number: Shape<number> = { type: 'number' }

/** Any number of one thing. */
export const list = <T>(items: Shape<T>): Shape<T[]> & { items: Shape<T> } => ({ type: 'array', items })

/** An object with just these fields, all of them there. A field that is not named does not leave the service. */
export const object = <P extends Properties>(
  properties: P,
): Shape<ObjectOf<P>> & { properties: P; required: string[] } => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

/** The same, or null. */
export const objectOrNull = <P extends Properties>(properties: P): Shape<ObjectOf<P> | null> => ({
  ...object(properties),
  type: ['object', 'null'],
})

/** An amount with its currency; decimal text. */
export const money = object({ amount: text, currency: text })

/** What was ignored; empty when nothing was. */
export const warnings = list(object({ code: text, path: text, message: text }))
