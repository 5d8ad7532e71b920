import { readConfig } from '../../src/app/config/config.ts'
import { openPool } from '../../src/platform/db/pool.ts'
import { composeExchange, type Composition } from '../../src/app/compose.ts'
import type { OpenPlugIn } from '../../src/app/plug-in.ts'
import type { IdentityContext } from '../../src/sandbox/identity/provider.ts'
import { openSandbox } from '../../src/sandbox/open.ts'
import type { World } from '../../src/sandbox/world.ts'
import type { Scheduler as JobScheduler } from '../../src/platform/jobs/scheduler.ts'
import type { Clock } from '../../src/platform/lib/clock.ts'
import type { Log } from '../../src/platform/lib/log.ts'
import type { MarketSource } from '../../src/markets/source.ts'
import { testSecrets } from '../support/test-secrets.ts'
import type { Scheduler, Wires } from './scheduler.ts'
import { highLimits, policiesWith } from '../support/policies.ts'

/** One process of the exchange: its house, its connections, and the work that it has set going and nobody has run yet. */
export type Worker = {
  name: string
  composition: Composition
  /** The institutions that are played, and the one that checks identities. */
  sandbox: { world: World; identity: IdentityContext }
  wires: Wires
  begun: (() => Promise<void>)[]
  /** What its timers would do again and again: lengthen the leases of what is under way. */
  renewals: (() => Promise<void>)[]
  close(): Promise<void>
}

/** What the processes of one stage share. */
export type Ground = {
  url: string
  scheduler: Scheduler
  market: MarketSource
  log: Log
  /** A clock for a process of its own: each learns the offset by itself. */
  clock(): Clock
}

const config = readConfig({
  MASTER_KEY_FILE: '/nowhere',
  DATA_DIR: '/nowhere',
  DB_POOL_SIZE: '4',
})

/** Some payouts of a run are large enough to wait for two operators, and customers may exchange more than what ships allows. */
const lowApprovals = policiesWith(
  { kind: 'approvals', document: { payouts: { above: '800', currency: 'EUR' }, policies: 'one_operator' } },
  highLimits,
)

/** Starts a process. To be called inside a task of the scheduler: its first statements wait their turn like all others. */
export async function startWorker(ground: Ground, name: string): Promise<Worker> {
  const wires = ground.scheduler.wires(name)
  const { database, jobs } = config
  // What comes next, and when, is the scheduler's to choose.
  const wiring = { connect: wires.connect, pause: () => Promise.resolve() }
  const db = openPool({ urls: [ground.url], size: database.poolSize, ...wiring })
  const begun: Worker['begun'] = []
  const renewals: Worker['renewals'] = []
  const scheduler: JobScheduler = {
    start: (work) => void begun.push(work),
    // Who looks for work, and when, too.
    later: () => () => undefined,
    every: (work, ms) => {
      if (ms < jobs.leaseMs) renewals.push(work)
      return () => undefined
    },
  }
  let sandbox: Worker['sandbox'] | undefined
  const open: OpenPlugIn = async (foundation) => {
    const opened = await openSandbox(foundation)
    opened.world.url = 'http://processor.example'
    sandbox = opened
    return opened
  }
  const composition = await composeExchange({
    config,
    db,
    clock: ground.clock(),
    log: ground.log,
    secrets: testSecrets,
    publicUrl: 'http://exchange.example',
    plugIns: [open],
    scheduler,
  })
  if (!sandbox) throw new Error('The sandbox did not open.')
  composition.ctx.market = ground.market
  composition.ctx.policies = lowApprovals
  composition.ctx.queue.start()
  return {
    name,
    composition,
    sandbox,
    wires,
    begun,
    renewals,
    close: async () => {
      await composition.ctx.identity.close()
      await db.close()
    },
  }
}

/** Gives the events that have been committed their place in the feed, once. */
export async function placeEvents({ composition }: Worker): Promise<void> {
  composition.relay.start()
  await composition.relay.stop()
}
