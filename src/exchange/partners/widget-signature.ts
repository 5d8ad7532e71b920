import { createHmac } from 'node:crypto'

import { Refusal } from '../../platform/lib/refusal.ts'

/**
 * Signs the query of a calculator URL: HMAC-SHA256 in lower-case hex, keyed with the account's widget
 * secret, over the canonical string. `query` may begin with `?`, may lack `partner_id`, and a signature in it is ignored.
 * Refuses a parameter that is given twice, and the `partner_id` of another account.
 */
export function signWidgetQuery(widgetSecret: string, partnerId: bigint, query: string): string {
  const parameters = new URLSearchParams(query)
  if (!parameters.has('partner_id')) parameters.append('partner_id', String(partnerId))
  if (parameters.get('partner_id') !== String(partnerId)) {
    throw new Refusal('BAD_REQUEST', 'The partner_id in this query belongs to another account.')
  }
  return createHmac('sha256', widgetSecret).update(canonicalQuery(parameters)).digest('hex')
}

/**
 * What is signed: every parameter but the signature, as `name=value`, joined with `&`, sorted by name in code units; names and
 * values are percent-encoded but for RFC 3986's unreserved characters. Refuses a parameter that is given twice.
 */
export function canonicalQuery(parameters: URLSearchParams): string {
  const signed = [...parameters].filter(([name]) => name !== 'signature').toSorted(([a], [b]) => (a < b ? -1 : 1))
  const twice = signed.find(([name], at) => name === signed[at + 1]?.[0])
  if (twice) throw new Refusal('BAD_REQUEST', `The parameter ${twice[0]} is given twice.`)
  return signed.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
}

/** `encodeURIComponent` leaves five characters as they are that RFC 3986 reserves. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
