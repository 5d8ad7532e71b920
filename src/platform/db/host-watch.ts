import { detach } from '../lib/detach.ts'
import type { Connection } from './connection.ts'
import type { Hosts } from './hosts.ts'

const everyMs = 500
/** For how many looks a host may answer nothing that it was asked. */
const patience = 4
/** How much later than the server itself a statement is given up, in milliseconds. */
const laterMs = 5_000

/**
 * Notices a host that vanished or froze with its connections open: TCP alone needs a quarter of an hour for that. When nothing that
 * was sent has been answered for two seconds, the host is asked on a new connection; one that is silent there, too, loses all its
 * connections at once. And a statement that the server should have ended long ago loses its own connection. Time is counted in
 * looks, so that a process which was stopped itself takes nothing for lost before it has read what came.
 */
export function watchHost(
  connections: ReadonlySet<Connection>,
  { isThere }: Pick<Hosts, 'isThere'>,
  statementTimeoutMs: number,
): { stop(): void } {
  const longest = Math.ceil((statementTimeoutMs + laterMs) / everyMs)
  const waits = new Map<Connection, { answered: number; looks: number }>()
  let [answered, silent, isAsking] = [0, 0, false]

  function look(): void {
    const all = [...connections]
    const now = all.reduce((sum, one) => sum + one.answered, 0)
    const isWaiting = all.some(({ busy }) => busy > 0)
    silent = isWaiting && now === answered ? silent + 1 : 0
    answered = now
    for (const one of waits.keys()) if (!connections.has(one)) waits.delete(one)
    for (const one of all) {
      const was = waits.get(one)
      const looks = one.busy > 0 && was?.answered === one.answered ? was.looks + 1 : 0
      waits.set(one, { answered: one.answered, looks })
      if (looks > longest) one.destroy()
    }
    if (silent >= patience && !isAsking) detach(ask(all))
  }

  async function ask(all: Connection[]): Promise<void> {
    isAsking = true
    const isUp = await isThere()
    if (!isUp && silent >= patience) for (const one of all) one.destroy()
    silent = 0
    isAsking = false
  }

  const timer = setInterval(look, everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
