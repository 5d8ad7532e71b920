import { openPool } from '../../src/platform/db/pool.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import type { Rail, RailEvent } from '../../src/rails/rail.ts'
import type { Reports, Round } from '../../src/rails/two-nodes.ts'
import { newFollower } from '../../src/rails/chain/follow.ts'
import { followOnce } from '../../src/rails/xrpl/follow.ts'
import { localSigner, type Signer } from '../../src/rails/xrpl/keys.ts'
import { openChain, xrplRail } from '../../src/rails/xrpl/rails.ts'
import { syncAssets } from '../../src/reference/catalog/sync-assets.ts'
import { testSecrets } from './test-secrets.ts'
import { testDatabase } from './database.ts'
import { account, openXrplLedger } from './xrpl-ledger.ts'

const mnemonic = 'test test test test test test test test test test test junk'

/** The XRP Ledger with two nodes, two processes of ours on one database, and a clock that only the test moves. */
export async function openXrplWorld({
  oneNodeBelow = 0n,
  hasKeys = true,
  wrap = (signer) => signer,
}: { oneNodeBelow?: bigint; hasKeys?: boolean; wrap?: (signer: Signer) => Signer } = {}) {
  const ledger = await openXrplLedger()
  const database = await testDatabase()
  const db = openPool({ urls: [database.url], size: 4 })
  await syncAssets(db)
  let ahead = 0
  const realNow = (): Date => new Date(Date.now() + ahead)
  const clock: Clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined, follow: () => 0 }
  const reported: RailEvent[] = []
  let halted: string | undefined

  let charged = 0n

  async function openHouse() {
    const opened = await openChain(
      { kind: 'xrpl', name: 'xrpl', nodes: ledger.urls, account, network: 'testnet' },
      {
        db,
        clock,
        log: silentLog,
        secrets: testSecrets,
        timeoutMs: 60_000,
        readSecret: (text) => text,
        isLive: true,
        folder: '.',
      },
    )
    const chain = { ...opened, signer: hasKeys ? wrap(await localSigner(mnemonic, 'testnet')) : undefined }
    const reports: Reports = {
      report: (_db, events) => Promise.resolve(void reported.push(...events.map(({ rail: _rail, ...one }) => one))),
      halt: (_db, _rail, reason) => {
        halted = reason
      },
      resume: (_db, _rail, reason) => {
        if (halted === reason) halted = undefined
      },
      oneNodeBelow: () => oneNodeBelow,
      charge: (_db, costs) => {
        for (const { amount } of costs) charged += amount
        return Promise.resolve()
      },
    }
    const follower = newFollower(chain, reports)
    const rail: Rail = xrplRail(chain)
    /** Looks until nothing is left to read, and gives what was reported meanwhile. */
    const follow = async (): Promise<RailEvent[]> => {
      const before = reported.length
      while ((await followOnce(follower)) === 'more');
      return reported.slice(before)
    }
    return { chain, rail, follow, look: (): Promise<Round> => followOnce(follower) }
  }

  const one = await openHouse()
  const other = await openHouse()
  await one.follow()

  return {
    one,
    other,
    ...ledger,
    reported,
    db,
    ownerUrl: database.ownerUrl,
    halted: () => halted,
    charged: () => charged,
    pass: (ms: number) => {
      ahead += ms
    },
    end: async () => {
      await ledger.stop()
      await db.close()
    },
  }
}

export type XrplWorld = Awaited<ReturnType<typeof openXrplWorld>>
