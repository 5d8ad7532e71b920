import type { Json } from '../openapi/write-shapes.ts'

/** An operation as the OpenAPI document has it. */
export type Operation = Json & { operationId: string; summary: string; description: string; tags: string[] }

/** A call of the interface, or an event that we send to partners. */
export type Call = { id: string; verb: string; path: string; tag: string; isEvent: boolean; operation: Operation }

/** The calls of one tag, with what the tag is about. */
export type CallGroup = { tag: string; about: string; calls: Call[] }

/** The calls and events of an OpenAPI document, by tag. */
export function groupsOf(document: Json): CallGroup[] {
  const { tags, paths, webhooks } = document as {
    tags: { name: string; description: string }[]
    paths: Record<string, Json>
    webhooks: Record<string, Json>
  }
  const all = [...callsIn(paths, false), ...callsIn(webhooks, true)]
  return tags.map(({ name, description }) => ({
    tag: name,
    about: description,
    calls: all.filter(({ tag }) => tag === name),
  }))
}

const callsIn = (paths: Record<string, Json>, isEvent: boolean): Call[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, whole]) => {
      const operation = whole as Operation
      const [tag = ''] = operation.tags
      return { id: operation.operationId, verb: verb.toUpperCase(), path, tag, isEvent, operation }
    }),
  )

/** Where a call is described. */
export const callPath = (id: string): string => `/docs/api/${id}`

/** Where all schemas are. */
export const schemasPath = '/docs/api/schemas'
