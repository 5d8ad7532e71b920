import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

import type { Json } from './openapi.ts'

/** Gives a check of events: what is wrong with one by the document's webhooks; undefined when nothing is. */
export function eventCheck(document: Json): (event: { type: string }) => string | undefined {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const webhooks = document.webhooks as Record<
    string,
    { post: { requestBody: { content: Record<string, { schema: Json }> } } }
  >
  return (event) => {
    const schema = webhooks[event.type]?.post.requestBody.content['application/json']?.schema
    if (!schema) return `${event.type} is not in the document`
    const isFine = ajv.validate({ $ref: `openapi${String(schema.$ref)}` }, event)
    return isFine ? undefined : `${event.type}: ${ajv.errorsText(ajv.errors)}`
  }
}
