import type { LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

import { buildConnector } from 'undici'

import { mayCall, type Reach } from './private-address.ts'

export type LookUp = (name: string) => Promise<string[]>

/** The address is not one that we call, whatever name resolved to it. */
export class RefusedAddress extends Error {
  readonly code = 'ADDRESS_REFUSED'

  constructor() {
    super('This address may not be called.')
    this.name = 'RefusedAddress'
  }
}

/**
 * Asks the name servers directly: the system's resolver has four threads a process, which a few unanswered names would
 * occupy.
 */
const lookUpName: LookUp = async (name) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0 && four.status === 'rejected') throw four.reason
  return found
}

/** Names of this machine itself, which no name server is asked for (RFC 6761). */
const ownName = /^(.+\.)?localhost\.?$/i

/**
 * The addresses of a URL's host. Throws `RefusedAddress` if any of them may not be called, even if others may, and the
 * resolver's error if there is no address.
 */
export async function addressesOf(host: string, reach: Reach, lookUp: LookUp = lookUpName): Promise<string[]> {
  const literal = host.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(literal) ? [literal] : ownName.test(host) ? ['127.0.0.1', '::1'] : await lookUp(host)
  if (!addresses.every((address) => mayCall(address, reach))) throw new RefusedAddress()
  return addresses
}

/**
 * Connects an HTTP client to allowed addresses only. It connects to the very addresses that were checked, which defeats DNS
 * rebinding, and checks the connected socket again, so that no spelling of an address slips through.
 */
export function guardedConnector(
  reach: Reach,
  { connectTimeoutMs, lookUp }: { connectTimeoutMs: number; lookUp?: LookUp | undefined },
): buildConnector.connector {
  const lookup = guardedLookUp(reach, lookUp)
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup, autoSelectFamily: true })
  return (options, done) => {
    const literal = options.hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(literal) && !mayCall(literal, reach)) {
      process.nextTick(done, new RefusedAddress(), null)
      return
    }
    connect(options, (...[error, socket]) => {
      if (error) return done(error, null)
      if (mayCall(socket.remoteAddress ?? '', reach)) return done(null, socket)
      socket.destroy()
      return done(new RefusedAddress(), null)
    })
  }
}

/** As `net.connect` takes it; with `autoSelectFamily` it asks for all addresses. */
const guardedLookUp = (reach: Reach, lookUp: LookUp | undefined): LookupFunction =>
  callbackify(async (name: string, _options: LookupOptions) => {
    const addresses = await addressesOf(name, reach, lookUp)
    if (addresses.length === 0) throw Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' })
    return addresses.map((address) => ({ address, family: isIP(address) }))
  })
