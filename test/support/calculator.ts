import { signWidgetQuery } from '../../src/exchange/partners/widget-signature.ts'
import type { Exchange } from './exchange.ts'

type Served = Pick<Exchange, 'url' | 'sandbox'>

/** The path of the calculator with this query, signed for the sandbox's first partner. */
export function signedCalculator({ sandbox }: Pick<Served, 'sandbox'>, query: string): string {
  const { partner_id: id, widget_secret: secret } = sandbox
  return `/calculator/v2?${query}&partner_id=${id}&signature=${signWidgetQuery(secret, BigInt(id), query)}`
}

/** Gets a page without following redirects. */
export const openPath = ({ url }: Served, path: string): Promise<Response> => fetch(url + path, { redirect: 'manual' })

/** Submits a page's form as a browser does, without following redirects. `headers` replace or add to a browser's own. */
export const postForm = (
  { url }: Served,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: url, ...headers },
    redirect: 'manual',
  })
