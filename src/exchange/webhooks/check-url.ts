import type { Ctx } from '../context.ts'
import { addressesOf, type LookUp, RefusedAddress } from '../../platform/lib/http.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { readPartnerUrl } from '../partners/partner-url.ts'

const longest = 2_048

/**
 * Judges a URL that a partner wants webhooks at, and gives it in its one normal spelling. Refused: anything but http and
 * https (https only with real money), credentials in it, a port that is not one
 * of WEBHOOK_PORTS, a name that does not resolve, and whatever leads to an address inside
 * (loopback is let through where WEBHOOK_ALLOW_PRIVATE says so). The address is checked again at each call.
 */
export async function checkUrl({ config }: Pick<Ctx, 'config'>, text: string, lookUp?: LookUp): Promise<string> {
  const url = readPartnerUrl(text, config.environment.httpsWebhooksOnly ? 'none' : 'any')
  if (!(url instanceof URL)) throw badField('url', url)
  if (text.length > longest) throw badField('url', `This has more than ${longest} characters.`)

  const { ports } = config.webhooks
  const port = Number.parseInt(url.port || (url.protocol === 'https:' ? '443' : '80'), 10)
  if (ports.length > 0 && !ports.includes(port))
    throw badField('url', `A webhook URL has one of these ports: ${ports.join(', ')}.`)

  url.hash = ''
  try {
    await addressesOf(url.hostname, { loopback: config.webhooks.allowPrivate }, lookUp)
  } catch (error) {
    if (error instanceof RefusedAddress) throw badField('url', 'Webhooks are not sent to addresses of this kind.')
    throw badField('url', 'The name in this URL does not resolve to an address.')
  }
  return url.href
}
