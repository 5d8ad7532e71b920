import type { FastifyContextConfig, RouteOptions } from 'fastify'

import type { Operation } from '../operation.ts'
import type { Shape } from '../shape.ts'

/** A route as it was declared, with the schemas of its answers by status. */
export type DeclaredRoute = {
  method: string
  /** With its prefix, in the framework's spelling: `/v1/transaction/:id`. */
  url: string
  config: FastifyContextConfig & { operation: Operation }
  answers: Readonly<Record<string, Shape<unknown>>>
}

/** Routes that say what they do. Those of the sandbox's controls do not: they are no part of what partners program against. */
export function declaredRoute({ method, url, config, schema }: RouteOptions): DeclaredRoute[] {
  const operation = config?.operation
  if (!config || !operation) return []
  const answers = operation.answers ?? ((schema?.response ?? {}) as Readonly<Record<string, Shape<unknown>>>)
  return [method]
    .flat()
    .filter((one) => one !== 'HEAD')
    .map((one) => ({ method: one, url, config: { ...config, operation }, answers }))
}

/** The address in the document's spelling: `/v1/transaction/{id}`. */
export const pathOf = ({ url }: Pick<DeclaredRoute, 'url'>): string => url.replace(/:(\w+)/g, '{$1}')
