import { BlockList, isIP } from 'node:net'

/** A set of IP addresses and blocks. */
export type IpBlocks = { has(address: string): boolean }

/**
 * Builds a set from texts that `cidr` (setting.ts) has read: `192.0.2.7`, `10.0.0.0/8`, `fd00::/8`. `::ffff:192.0.2.1` counts
 * as the IPv4 address that it maps; a text that is not an address is in no set.
 */
export function ipBlocks(texts: readonly string[]): IpBlocks {
  const list = new BlockList()
  for (const text of texts) {
    const [address = '', bits] = text.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number.parseInt(bits, 10), family)
  }
  return {
    has: (address) => {
      const version = isIP(address)
      return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** Removes the prefix of an IPv4 address on an IPv6 socket. */
export const plainIp = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address
