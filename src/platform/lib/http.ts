import type { LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

import { buildConnector } from 'undici'

import { mayCall, type Reach } from './private-address.ts'

/** The addresses of a name. */
export type LookUp = (name: string) => Promise<string[]>

/** The address is not one that we call, whatever the name was that led to it. */
export class RefusedAddress extends Error {
  readonly code = 'ADDRESS_REFUSED'

  constructor() {
    super('This address may not be called.')
    this.name = 'RefusedAddress'
  }
}

/**
 * Asks the name servers directly: the system's own look-up has four threads a process, which a few names that nobody
 * answers for would keep from everyone else.
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
 * The addresses that a URL's host stands for. Throws `RefusedAddress` if any of them may not be called (a name with a good
 * and a bad address is a bad name), and the resolver's error if there is none.
 */
export async function addressesOf(host: string, reach: Reach, lookUp: LookUp = lookUpName): Promise<string[]> {
  const literal = host.replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(literal) ? [literal] : ownName.test(host) ? ['127.0.0.1', '::1'] : await lookUp(host)
  if (!addresses.every((address) => mayCall(address, reach))) throw new RefusedAddress()
  return addresses
}

/**
 * Makes connections for an HTTP client, to addresses within reach only. The addresses that were checked are those that are
 * connected to: a name that changes its mind between the check and the call gains nothing. The connected socket is asked
 * once more, so that no spelling of an address slips through.
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

/** The form in which sockets ask for addresses; those that choose among several ask for all of them. */
const guardedLookUp = (reach: Reach, lookUp: LookUp | undefined): LookupFunction =>
  callbackify(async (name: string, _options: LookupOptions) => {
    const addresses = await addressesOf(name, reach, lookUp)
    if (addresses.length === 0) throw Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' })
    return addresses.map((address) => ({ address, family: isIP(address) }))
  })
