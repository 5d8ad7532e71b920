import type { FastifyInstance } from 'fastify'

import { buildApi } from '../doors/api/app.ts'
import { buildCalculator } from '../doors/calculator/calculator.tsx'
import { buildConsole } from '../doors/console/console.ts'
import { buildPortal } from '../doors/portal/portal.ts'
import { callbackRoutes } from '../doors/callbacks/routes.ts'
import { buildCheckout } from '../doors/checkout/checkout.ts'
import type { CheckoutOptions, Notices } from '../doors/checkout/notices.ts'
import type { Accounts } from '../exchange/partners/accounts.ts'
import { isWorkerAlive } from '../platform/jobs/heartbeat.ts'
import type { Composition } from './compose.ts'
import { firstOf } from './first-of.ts'
import type { DoorTools } from './plug-in.ts'

/** The exchange's HTTP side: its own routes and those that plug-ins add, ready to listen. */
export function buildDoors(
  { ctx, plugIns, feedListeners }: Pick<Composition, 'ctx' | 'plugIns' | 'feedListeners'>,
  { accounts, ...tools }: DoorTools & { accounts: Accounts },
): FastifyInstance {
  const added = plugIns.flatMap((one) => one.doors?.(ctx, tools) ?? [])
  const description = firstOf(added, (one) => one.description)
  const start = firstOf(added, (one) => one.start)
  const testKeysPath = firstOf(added, (one) => one.testKeysPath)
  const scenarios = firstOf(added, (one) => one.scenarios)
  const checkout: CheckoutOptions = {
    leadsTo: [
      ...added.flatMap(({ leadsTo }) => leadsTo ?? []),
      ...ctx.rails.all.flatMap(({ deposit }) => deposit?.pageOrigins?.() ?? []),
      ...(ctx.identity.forChecks()?.pageOrigins() ?? []),
    ],
    notices: Object.assign(
      ctx.config.company ? { company: ctx.config.company } : {},
      ...added.map(({ notices }) => notices),
    ) as Notices,
    payButton: (view, language) => firstOf(added, ({ payButton }) => payButton?.(view, language)),
  }
  return buildApi(ctx, {
    accounts,
    workersAreUp: () => isWorkerAlive(ctx),
    feedListeners,
    ...(description ? { description } : {}),
    ...(start ? { start } : {}),
    ...(testKeysPath ? { testKeysPath } : {}),
    v1: added.flatMap(({ v1 }) => v1 ?? []),
    pages: [
      callbackRoutes(ctx),
      ...added.flatMap(({ pages }) => pages ?? []),
      (scope) => buildCheckout(scope, ctx, checkout),
      (scope) => buildConsole(scope, ctx),
      (scope) => buildPortal(scope, ctx, scenarios),
      (scope, limits) => buildCalculator(scope, ctx, { accounts, limits }),
    ],
  })
}
