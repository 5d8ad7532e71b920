import { randomInt } from 'node:crypto'

import { readConfig } from '../../src/app/config/config.ts'
import { openPool } from '../../src/platform/db/pool.ts'
import { openRowIds } from '../../src/platform/db/row-ids.ts'
import { recordEvents } from '../../src/exchange/events/record.ts'
import { openRelay } from '../../src/exchange/events/relay.ts'
import { systemClock } from '../../src/platform/lib/clock.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import { openKeyring } from '../../src/platform/privacy/data-key.ts'
import { loadSecrets } from '../../src/platform/privacy/master-key.ts'

/** What a process that writes events is told to do; what it wrote is told back as the ids of its streams and their events. */
export type Writing = {
  url: string
  masterKeyFile: string
  partnerId: string
  streams: string[]
  rounds: number
  /** Whether it places what is committed, too. */
  relays: boolean
}

/** How many events of each stream were committed. */
export type Written = Record<string, number>

if (process.send) process.once('message', (order) => void write(order as Writing))

async function write({ url, masterKeyFile, partnerId, streams, rounds, relays }: Writing): Promise<void> {
  const db = openPool({ urls: [url], size: 6 })
  const secrets = await loadSecrets(masterKeyFile, false)
  const keyring = openKeyring(secrets, openRowIds(db))
  const clock = systemClock()
  const relay = openRelay({ db, log: silentLog }, { onSequenced: () => undefined, pollMs: 50 })
  if (relays) relay.start()
  const told = { wakeRelay: () => relay.wake(), config: readConfig({ DATA_DIR: '/nowhere' }) }

  const one = async (stream: string): Promise<[string, number]> => {
    let sequence = 0
    for (let round = 0; round < rounds; round += 1) {
      const together = randomInt(1, 4)
      const isRolledBack = randomInt(4) === 0
      try {
        await db.atomic(async (block) => {
          const dataKey = await keyring.make(block)
          const about = { stream: BigInt(stream), partnerId: BigInt(partnerId), type: 'transaction.created' as const }
          const events = Array.from({ length: together }, (_, index) => ({
            ...about,
            sequence: sequence + index + 1,
            at: clock.now(),
            dataKey,
            payload: { id: stream },
          }))
          recordEvents(told, block, events)
          // Some database transactions stay open while others that began later end.
          if (randomInt(3) === 0) await new Promise((resolve) => setTimeout(resolve, randomInt(40)))
          if (isRolledBack) throw new Error('rolled back')
        })
        sequence += together
      } catch (error) {
        if (!isRolledBack) throw error
      }
    }
    return [stream, sequence]
  }
  const written: Written = Object.fromEntries(await Promise.all(streams.map(one)))
  await relay.stop()
  await db.close()
  process.send?.(written)
  process.disconnect()
}
