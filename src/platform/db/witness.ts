import type { Host } from './connection.ts'

/**
 * Remembers the newest primary that was seen. A primary that was replaced and returns without knowing it takes writes that nobody
 * else will ever see; its timeline is lower than that of the host that was promoted in its place.
 */
export type Witness = {
  /**
   * Whether a host may be written to. It is the newest from then on, if it is. Another server, which is no copy, is only admitted
   * as the first one: a database is not replaced under a process that runs.
   */
  admits(host: Host): boolean
  /** How many times a host was refused. */
  refused(): number
}

/** Whether a primary was replaced by another one. Servers that are not copies of each other cannot be compared. */
export const isBehind = (one: Host, other: Host): boolean =>
  one.system === other.system && one.timeline < other.timeline

/** Opens a witness that knows `newest`. `onNewer` gets each host that is newer, `onRefused` each one that is refused. */
export function openWitness({
  newest,
  onNewer,
  onRefused,
}: {
  newest?: Host | undefined
  onNewer?(host: Host): void
  onRefused?(host: Host, newest: Host): void
} = {}): Witness {
  let known = newest
  let [count, hasAdmitted] = [0, false]
  return {
    refused: () => count,
    admits: (host) => {
      if (known && (isBehind(host, known) || (hasAdmitted && host.system !== known.system))) {
        count += 1
        onRefused?.(host, known)
        return false
      }
      hasAdmitted = true
      if (known?.system !== host.system || known.timeline !== host.timeline) {
        known = host
        onNewer?.(host)
      }
      return true
    },
  }
}
