import { isIP } from 'node:net'

import { ipBlocks } from './ip-blocks.ts'

/** Where calls to addresses that strangers name may go: the public internet, and this machine itself where that is allowed. */
export type Reach = { loopback: boolean }

/**
 * IPv4 that is not the public internet: the IANA registry of special-purpose addresses, multicast and what is reserved; and
 * 168.63.129.16, at which machines in Azure find what runs them.
 */
const special4 = ipBlocks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
])

/** Of IPv6 only this is handed out to the public, which leaves out every form that wraps an IPv4 address but two. */
const global6 = ipBlocks(['2000::/3'])

/** Parts of it that are special all the same: protocol assignments with Teredo, documentation, 6to4. */
const special6 = ipBlocks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

const loopback = ipBlocks(['127.0.0.0/8', '::1'])

/**
 * Whether an address, spelt as a resolver or a socket gives it, may be called. Private, link-local, loopback, multicast,
 * documentation and translated addresses may not, nor what is no address; loopback only where `reach` says so.
 */
export function mayCall(address: string, reach: Reach): boolean {
  if (address.includes('%')) return false
  if (loopback.has(address)) return reach.loopback
  if (isIP(address) === 4) return !special4.has(address)
  return global6.has(address) && !special6.has(address)
}
