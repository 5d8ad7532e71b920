import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

import { type IpBlocks, plainIp } from './ip-blocks.ts'

/** Where a request came from, behind the proxies that we trust. */
export type ClientAddress = {
  /** The address of the connection: the partner's server or the customer's browser. `''` when a proxy hid it. */
  connection: string
  /** X-Forwarded-For without what our proxies appended: written by the caller, first entry first. */
  forwarded: readonly string[]
}

/**
 * Walks from the socket outward: as long as an address is a trusted proxy's, the last entry of X-Forwarded-For is what that
 * proxy saw. What remains was written by the caller and proves nothing.
 */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: IpBlocks,
): ClientAddress {
  const entries = forwardedEntries(headers['x-forwarded-for'])
  let connection = plainIp(socket.remoteAddress ?? '')
  while (entries.length > 0 && trusted.has(connection)) connection = ipOf(entries.pop() ?? '') ?? ''
  return { connection, forwarded: entries }
}

/** The customer's address in the deprecated header: the first entry that is an address at all. */
export const forwardedCustomer = ({ forwarded }: ClientAddress): string | undefined =>
  forwarded.map(ipOf).find((ip) => ip !== undefined)

/** Reads an address, in brackets or with a port behind an IPv4 one as some proxies write it. */
export function ipOf(text: string): string | undefined {
  const [, bracketed, , bare] = /^\[([^\]]+)\](:\d+)?$|^([^:\s]+|[^\s]+)$/.exec(text) ?? []
  const address = plainIp(bracketed ?? bare?.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1') ?? '')
  return isIP(address) === 0 ? undefined : address
}

/**
 * The network of one customer: an IPv4 address, or the first half of an IPv6 address, whose other half the customer can choose
 * (RFC 4291, section 2.5.4; RFC 8981). For counting only. A text that is not an address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [left = [], right] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: right ? 8 - left.length - right.length : 0 }, () => '0')
  const groups = [...left, ...zeros, ...(right ?? [])].slice(0, 4)
  return `${groups.map((group) => group.toLowerCase().replace(/^0+(?=.)/, '')).join(':')}::/64`
}

/** The network of an address, too wide to name a person: /24 of an IPv4 address, /48 of an IPv6 address. */
export const shortNetwork = (address: string): string =>
  isIP(address) === 6 ? `${networkOf(address).split(':').slice(0, 3).join(':')}::` : address.replace(/\.\d+$/, '.0')

function forwardedEntries(header: string | string[] | undefined): string[] {
  const text = typeof header === 'string' ? header : (header?.join(',') ?? '')
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
