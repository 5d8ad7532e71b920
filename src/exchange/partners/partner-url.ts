/** Which addresses are taken that do not begin with https: of a developer's own machine, any, or none. */
export type PlainHttp = 'loopback' | 'any' | 'none'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** A name of letters and digits, or an IP address: nothing that means something in a header. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])$/

/** An address as every program reads it: the parts where they differ are not in it. */
const plainForm = /^https?:\/\/[^\s/\\?#@]+(?:\/[^\s\\]*|[?#][^\s\\]*)?$/i

/**
 * Reads a URL that a partner names, for a customer to be sent to or for us to call: with https, without user and password, and spelled so
 * that no program reads another host in it. Gives a sentence instead of the URL that is refused.
 */
export function readPartnerUrl(text: string, plainHttp: PlainHttp): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'http:'
  const isAllowed = plainHttp === 'any' || (plainHttp === 'loopback' && loopback.test(url?.hostname ?? ''))
  if (!url || (isPlain ? !isAllowed : url.protocol !== 'https:'))
    return `This must be an address that begins with https://${plainHttp === 'any' ? ' or http://' : ''}.`
  if (url.username !== '' || url.password !== '') return 'This must be an address without a user name or password.'
  return plainForm.test(text) && plainHost.test(url.hostname)
    ? url
    : 'This must be a plain address: a host, then a path.'
}
