import { setTimeout as wait } from 'node:timers/promises'

import { type Connect, connect, type Connection } from './connection.ts'
import type { Witness } from './witness.ts'

/** How hosts are reached, one URL each, and under which limits. */
export type HostsOptions = {
  urls: string[]
  applicationName?: string
  statementTimeoutMs?: number
  connectTimeoutMs?: number
  /** How long the other hosts are heard after one has said that it accepts writes: an old primary may be the first to answer. */
  othersMs?: number
  /** Called with the SQLSTATE of each statement that a host refuses, and its text. */
  onRefused?: (sqlState: string, text: string) => void
  /** What opens connections. */
  connect?: Connect
}

/** The hosts of one database. */
export type Hosts = {
  /** Opens a connection to the host that accepts writes. */
  connect(onLost: OnLost): Promise<Connection>
  /** Whether the host that was last connected to answers on a new connection, if only with a refusal. */
  isThere(): Promise<boolean>
}

type OnLost = (connection: Connection) => void

/** How long a host may take to answer a new connection while statements on the others are not answered. */
const probeMs = 3_000

/**
 * Knows which of several hosts accepts writes. That one is asked first; when it does not answer, all are asked at once, so
 * that a host that is gone costs no time. A single host may be a standby: then it is read from.
 */
export function openHosts(options: HostsOptions, witness: Witness): Hosts {
  const { urls, connect: open = connect, applicationName = 'cambio' } = options
  const { connectTimeoutMs = 5_000, othersMs = 300, statementTimeoutMs = 30_000, onRefused = () => undefined } = options
  let primary = urls.length === 1 ? urls[0] : undefined
  const settingsOf = (url: string) => ({ url, applicationName, statementTimeoutMs, connectTimeoutMs, onRefused })

  async function tryHost(url: string, onLost: OnLost, signal?: AbortSignal): Promise<Connection> {
    const connection = await open({ ...settingsOf(url), ...(signal && { signal }) }, onLost)
    const { timeline } = connection.host
    if (timeline === 0 ? urls.length === 1 : witness.admits(connection.host)) return connection
    await connection.end()
    throw new NoPrimary()
  }

  async function askAll(onLost: OnLost): Promise<Connection> {
    const giveUp = new AbortController()
    const asked = urls.map(async (url) => ({ url, connection: await tryHost(url, onLost, giveUp.signal) }))
    const found = new Set<Awaited<(typeof asked)[number]>>()
    let isChosen = false
    const take = async (one: (typeof asked)[number]): Promise<void> => {
      const answer = await one
      if (isChosen) await answer.connection.end()
      else found.add(answer)
    }
    const taken = asked.map(take)
    try {
      await Promise.any(taken)
    } catch (error) {
      const { errors } = error as AggregateError
      throw errors.find((one) => one instanceof NoPrimary) ?? errors[0]
    }
    await Promise.race([Promise.allSettled(taken), wait(othersMs, undefined, { ref: false })])
    isChosen = true
    giveUp.abort()
    const [newest, ...others] = [...found].toSorted((a, b) => b.connection.host.timeline - a.connection.host.timeline)
    if (!newest) throw new NoPrimary()
    await Promise.all(others.map(({ connection }) => connection.end()))
    primary = newest.url
    return newest.connection
  }

  return {
    connect: async (onLost) => {
      if (primary === undefined) return askAll(onLost)
      try {
        return await tryHost(primary, onLost)
      } catch (error) {
        if (urls.length === 1) throw error
        primary = undefined
        return askAll(onLost)
      }
    },
    isThere: async () => {
      if (primary === undefined) return false
      try {
        const connection = await connect({ ...settingsOf(primary), connectTimeoutMs: probeMs }, () => undefined)
        await connection.end()
        return true
      } catch (error) {
        return error instanceof Error && 'severity' in error
      }
    },
  }
}

/** No host accepts writes, or only one that was replaced. With the SQLSTATE of a write that is refused for that reason. */
class NoPrimary extends Error {
  readonly code = '25006'

  constructor() {
    super('No database host accepts writes.')
    this.name = 'NoPrimary'
  }
}
