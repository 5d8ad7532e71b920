import { readFileSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'

import { Reader, type Response } from 'maxmind'

import type { Clock } from '../../platform/lib/clock.ts'
import { detach } from '../../platform/lib/detach.ts'
import type { Log } from '../../platform/lib/log.ts'
import { mayCall } from '../../platform/lib/private-address.ts'

/** Countries by IP address. */
export type Countries = {
  /**
   * The alpha-2 code of the country to which an IPv4 or IPv6 address is assigned; an IPv4 address in IPv6's spelling is read
   * as IPv4. Undefined for addresses that are not the public internet's, for those that the database does not know, and for
   * what is no address. Never throws: a broken database knows nothing.
   */
  countryOf(ip: string): string | undefined
  /** Looks now whether the operator's file was replaced, without waiting for its turn. */
  look(): Promise<void>
}

/** `file` is the operator's; without one the database shipped with the service is used. */
export type CountriesOptions = {
  file: string | undefined
  clock: Pick<Clock, 'realNow'>
  log: Pick<Log, 'info' | 'warn'>
  /** How often, at most, the file is looked at while the service is asked, in real milliseconds. */
  everyMs?: number
}

/**
 * The data that came with the service. Country of assignment, made from what the five registries (through the NRO, whose
 * data is under CC BY 4.0) and published geofeeds say.
 */
const ownFile = (): string =>
  fileURLToPath(import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'))

/**
 * Opens the database on the first request. If an operator's file is missing or broken, that is logged and the shipped database,
 * or the last valid one, stays in use. A file that is replaced (atomically, by a rename) is loaded within `everyMs`, while
 * requests continue to be answered.
 */
export function openCountries({ file, clock, log, everyMs = 60_000 }: CountriesOptions): Countries {
  let database: Reader<Response> | undefined
  let lookedAt = 0
  /** The state of the file that was tried last, valid or not: it is not tried twice. */
  let tried = ''
  let looking: Promise<void> | undefined
  /** The database that was found broken in use; logged once. */
  let broken: Reader<Response> | 'none' | undefined

  const complain = (error: unknown) =>
    log.warn({ file, err: error }, 'Failed to load the country database; keeping the previous one.')

  /** The first time, at once: a few milliseconds, so that the first question has an answer too. */
  function first(): Reader<Response> {
    lookedAt = clock.realNow().getTime()
    if (file !== undefined) {
      tried = missing
      try {
        tried = stateOf(statSync(file))
        return readDatabase(readFileSync(file))
      } catch (error) {
        complain(error)
      }
    }
    return readDatabase(readFileSync(ownFile()))
  }

  async function replace(path: string): Promise<void> {
    let state = missing
    try {
      state = stateOf(await stat(path))
      if (state === tried) return
      const bytes = await readFile(path)
      // Written to while it was read: the next look sees what has become of it.
      if (stateOf(await stat(path)) !== state) return
      database = readDatabase(bytes)
      log.info({ file: path }, 'Loaded a new country database.')
    } catch (error) {
      if (state !== tried) complain(error)
    }
    tried = state
  }

  async function look(): Promise<void> {
    if (file === undefined) return
    looking ??= replace(file).finally(() => {
      looking = undefined
    })
    await looking
  }

  function current(): Reader<Response> {
    database ??= first()
    const now = clock.realNow().getTime()
    if (now - lookedAt >= everyMs) {
      lookedAt = now
      detach(look())
    }
    return database
  }

  function countryOf(ip: string): string | undefined {
    const address = plainAddress(ip)
    if (address === undefined || !mayCall(address, { loopback: false })) return undefined
    try {
      return countryAt(current(), address)
    } catch (error) {
      const failed = database ?? 'none'
      if (broken !== failed) log.warn({ err: error }, 'The country database is broken.')
      broken = failed
      return undefined
    }
  }

  return { countryOf, look }
}

/** The state of a file that is not there. */
const missing = 'missing'

const stateOf = ({ mtimeMs, size, ino }: { mtimeMs: number; size: number; ino: number }): string =>
  `${mtimeMs} ${size} ${ino}`

/** Addresses that every database of the whole internet knows; two of them, because one may be moved. */
const probes = ['8.8.8.8', '193.0.6.139', '2001:4860:4860::8888', '2a00:1450:4001::1']

/** Opens a database, and tries it. Throws if it is no MMDB file, or has no countries of public addresses. */
function readDatabase(bytes: Buffer): Reader<Response> {
  const reader = new Reader<Response>(bytes)
  const known = probes.filter((address) => countryAt(reader, address) !== undefined)
  if (known.length < 2) throw new Error('The file is no database of countries.')
  return reader
}

/** A database of IPv4 alone would read the beginning of an IPv6 address as one. */
const countryAt = (reader: Reader<Response>, address: string): string | undefined =>
  reader.metadata.ipVersion === 4 && isIP(address) === 6 ? undefined : countryIn(reader.get(address))

/** Reads a record of this database (`country_code`), or of GeoLite2 and DB-IP (`country.iso_code`). */
function countryIn(record: unknown): string | undefined {
  const { country_code: short, country } = (record ?? {}) as { country_code?: unknown; country?: unknown }
  const code = short ?? (country as { iso_code?: unknown } | null | undefined)?.iso_code
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) && !notCountries.has(code) ? code : undefined
}

/** Codes that such databases use for no country: unknown, a proxy, Europe, Asia and the Pacific. */
const notCountries = new Set(['ZZ', 'XX', 'EU', 'AP'])

/** An address in one spelling; IPv4 for an IPv4 address in IPv6. Undefined for an invalid one. */
function plainAddress(ip: string): string | undefined {
  const version = isIP(ip)
  if (version !== 6) return version === 4 ? ip : undefined
  if (ip.includes('%') || !URL.canParse(`http://[${ip}]`)) return undefined
  const address = new URL(`http://[${ip}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [left >> 8, left & 255, right >> 8, right & 255].join('.')
}
