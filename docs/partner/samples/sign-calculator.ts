import { createHmac } from 'node:crypto'

/** RFC 3986: `encodeURIComponent` leaves five characters as they are. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Returns the URL of a signed calculator. Run it on your server: anyone with the widget secret can sign for you. */
export function calculatorUrl(
  origin: string,
  account: { partnerId: string; widgetSecret: string },
  parameters: Record<string, string>,
): string {
  const all = { ...parameters, partner_id: account.partnerId }
  const query = Object.entries(all)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&')
  const signature = createHmac('sha256', account.widgetSecret).update(query).digest('hex')
  return `${origin}/calculator/v2?${query}&signature=${signature}`
}
