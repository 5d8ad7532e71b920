import { isIP } from 'node:net'

import { ipBlocks } from './ip-blocks.ts'

/** Where calls to addresses given by others may go: the public internet, and this machine if `loopback`. */
export type Reach = { loopback: boolean }

/**
 * IPv4 that is not the public internet: the IANA registry of special-purpose addresses, multicast and reserved blocks; and
 * 168.63.129.16, the host of a virtual machine in Azure.
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

/** The only public IPv6 block. It excludes every form that wraps an IPv4 address but two. */
const global6 = ipBlocks(['2000::/3'])

/** Special parts of it: protocol assignments with Teredo, documentation, 6to4. */
const special6 = ipBlocks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

const loopback = ipBlocks(['127.0.0.0/8', '::1'])

/**
 * Whether an address, as a resolver or a socket spells it, may be called. Private, link-local, multicast, documentation and
 * translated addresses may not, nor invalid ones; loopback only where `reach` allows it.
 */
export function mayCall(address: string, reach: Reach): boolean {
  if (address.includes('%')) return false
  if (loopback.has(address)) return reach.loopback
  if (isIP(address) === 4) return !special4.has(address)
  return global6.has(address) && !special6.has(address)
}
