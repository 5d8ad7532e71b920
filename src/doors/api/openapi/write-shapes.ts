import { type Bounds, type Shape, shapeOfNullable } from '../shape.ts'
import { glossary } from './glossary.ts'

/** A part of the document. */
export type Json = Record<string, unknown>

/** Writes shapes as schemas of the document; each with a title once, by reference everywhere else. */
export type ShapeWriter = {
  /** A shape of what we answer: nothing else is in it. */
  answer(shape: Shape<unknown>): Json
  /** A shape of what callers send: other fields may be there, and are ignored. */
  input(shape: Shape<unknown>): Json
  /** All that have a title, in the order of their names. */
  components(): Json
}

type Whole = Shape<unknown> &
  Bounds & {
    properties?: Readonly<Record<string, Shape<unknown>>>
    items?: Shape<unknown>
    anyOf?: readonly Shape<unknown>[]
    enum?: readonly unknown[]
  }

/** A writer that has written nothing yet. Refuses two shapes of one title that differ. */
export function shapeWriter(): ShapeWriter {
  const titled = new Map<string, Json>()

  const write = (shape: Shape<unknown>, isAnswer: boolean): Json => {
    const whole: Whole = shape
    const inner: Whole | undefined = shapeOfNullable(shape)
    const { title, description } = whole
    const said = description === undefined ? {} : { description }
    if (inner?.title !== undefined) return { anyOf: [write(inner, isAnswer), { type: 'null' }], ...said }
    if (title === undefined) return { ...schemaOf(whole, isAnswer), ...said }
    const schema = { ...schemaOf(whole, isAnswer), ...glossary()[title] }
    const known = titled.get(title)
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two shapes have the title ${title}.`)
    }
    titled.set(title, schema)
    return { $ref: `#/components/schemas/${title}`, ...said }
  }

  const schemaOf = (shape: Whole, isAnswer: boolean): Json => {
    const { title: _title, description: _description, properties, items, anyOf, ...rest } = shape
    if (anyOf) return { anyOf: anyOf.map((one) => write(one, isAnswer)) }
    const fields =
      properties &&
      Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, write(field, isAnswer)]))
    return {
      ...rest,
      ...(fields ? { properties: fields, ...(isAnswer ? { additionalProperties: false } : {}) } : {}),
      ...(items ? { items: write(items, isAnswer) } : {}),
    }
  }

  return {
    answer: (shape) => write(shape, true),
    input: (shape) => write(shape, false),
    components: () =>
      Object.fromEntries([...titled].toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))),
  }
}
