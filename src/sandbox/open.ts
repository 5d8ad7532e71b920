import type { CheckoutView } from '../exchange/orders/checkout-view.ts'
import type { CreatedTransaction, Ctx } from '../exchange/context.ts'
import { readCallback, storeReports } from '../doors/callbacks/receive.ts'
import { recordedMarket } from '../markets/recorded/recorded-market.ts'
import type { Atomic, Database } from '../platform/db/sql.ts'
import type { Handler } from '../platform/jobs/job.ts'
import type { DueWork } from '../platform/jobs/due-work.ts'
import type { Queue } from '../platform/jobs/queue.ts'
import type { Language } from '../platform/language/language.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'
import type { BankAccount } from '../rails/bank-accounts.ts'
import type { Confirmations } from '../rails/confirmations.ts'
import { mailPage } from './api/mail-page.ts'
import { payPress } from './api/pay-press.ts'
import { playRequested } from './api/play-requested.ts'
import { sandboxApi } from './api/routes.ts'
import { forPortal } from './api/scenarios.ts'
import { callbackOwed, takeCallbacks } from './callback.ts'
import { identityIn } from './identity/context.ts'
import { openSandboxProvider, serveCheckPages } from './identity/provider.ts'
import { payButtonFor, sandboxNotices } from './notices.ts'
import { buildProcessor } from './processor/processor.ts'
import { openSandboxRails } from './rails.ts'
import { enqueueScenarios, scenarioDue } from './scenarios/request.ts'
import { type OpeningBalance, seedSandbox } from './seed.ts'
import { tellSandbox } from './sandbox-file.ts'
import { startRoutes, testKeysPath } from './start/start-routes.ts'
import { processorKey, type World } from './world.ts'
import { welcome } from './welcome.ts'

/** What the sandbox reads of the operator's settings. */
type SandboxConfig = {
  roles: readonly string[]
  dataDir: string
  confirmations: Confirmations
  bank: { accounts: readonly BankAccount[] | undefined }
  http: { processorUrl: string | undefined }
  pricing: { marketSeed: number }
}

/** What the sandbox is built on. */
type Foundation = { config: SandboxConfig; db: Database; clock: Clock; log: Log; secrets: Secrets; queue: Queue }

/**
 * Opens the sandbox: a card processor, a bank, chains, a market and an identity provider that are played, with demo partners,
 * the controls that drive them, and the hints that pages give about them.
 */
export async function openSandbox(foundation: Foundation) {
  const { config, db, clock, log, secrets, queue } = foundation
  const { confirmations } = config
  const world: World = {
    db,
    clock,
    queue,
    secrets: processorKey(secrets),
    url: config.http.processorUrl ?? '',
    accounts: config.bank.accounts,
    confirmations,
  }
  const rails = openSandboxRails(world)
  const identity = identityIn(world)
  let seeds: Awaited<ReturnType<typeof seedSandbox>> | undefined

  return {
    world,
    identity,
    rails,
    market: recordedMarket(config.pricing.marketSeed),
    identityProviders: [openSandboxProvider(identity)],
    handlers: (ctx: Ctx) => ({
      [scenarioDue]: playRequested(ctx, { world, identity }),
      [callbackOwed]: bring(ctx, world),
    }),
    onCreated: (block: Atomic, created: readonly CreatedTransaction[]) =>
      enqueueScenarios({ clock, queue }, block, created),
    prepare: async (ctx: Ctx, openingBalance: OpeningBalance) => {
      seeds = await seedSandbox(ctx, config.dataDir, openingBalance)
    },
    listener: {
      build: async () => {
        const pages = await buildProcessor(world, log)
        serveCheckPages(pages, identity)
        return pages
      },
      opened: (url: string) => {
        world.url = config.http.processorUrl ?? url
      },
    },
    doors: (ctx: Ctx, { work }: { work: readonly DueWork[] }) => ({
      v1: [sandboxApi(ctx, { world, identity, work })],
      pages: [mailPage(ctx), payPress(ctx, world)],
      start: startRoutes(ctx, () => seeds),
      testKeysPath,
      scenarios: forPortal(ctx, { world, identity, work }),
      description: {
        notice: 'This is a <strong>sandbox</strong>: nothing here is real money.',
        serverName: 'This sandbox',
      },
      notices: sandboxNotices,
      payButton: ({ tid, deposit, from }: CheckoutView, { tag }: Language) => {
        // A rail of the real world may be tried out here: its coins are sent, not played.
        const rail = ctx.rails.forDeposit(deposit.category, from.network.code)
        return rail && rails.includes(rail) ? payButtonFor(tid, tag) : undefined
      },
    }),
    opened: async (url: string) => {
      if (!seeds) throw new Error('The sandbox was opened before it was prepared.')
      const sandbox = { ...seeds, url }
      await tellSandbox(config.dataDir, sandbox)
      return welcome(sandbox, config)
    },
  }
}

/** Brings callbacks that are owed to the exchange's own door. */
const bring = (ctx: Ctx, world: World): Handler => ({
  batch: 64,
  concurrency: 1,
  run: (jobs) =>
    ctx.queue.finish(jobs, async (db, held) => {
      const ids = held.map(({ key }) => BigInt(key))
      const callbacks = await takeCallbacks(world, db, ids)
      // Rails of the sandbox look nothing up, so they may be read inside the block.
      const reports = await Promise.all(
        callbacks.map(({ rail, ...call }) => readCallback(ctx, { name: rail, ...call })),
      )
      await storeReports(ctx, db, reports)
    }),
})
