import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyServerOptions } from 'fastify'

type Factory = NonNullable<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>['buildSerializer']
>

/**
 * Compiles the serializer of an answer when the first one is sent. Fastify compiles all of them before it listens, which is most of
 * what building the interface takes.
 */
export const lazySerializers = (): Factory => {
  const select = SerializerSelector()
  return (schemas, options) => {
    const compile = select(schemas, options)
    return (route) => {
      let serialize: ((answer: unknown) => string) | undefined
      return (answer) => (serialize ??= compile(route))(answer)
    }
  }
}
