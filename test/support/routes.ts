import type { FastifyContextConfig } from 'fastify'

import { buildDoors } from '../../src/app/doors.ts'
import type { Service } from '../../src/app/start.ts'
import { openAccounts } from '../../src/exchange/partners/accounts.ts'

/** A route of a service: one for each method. */
export type Route = { method: string; url: string; config: FastifyContextConfig | undefined }

/** Every route of a service, its own and those of its plugins. */
export async function routesOf({ composition }: Pick<Service, 'composition'>): Promise<Route[]> {
  const accounts = openAccounts(composition.ctx)
  const app = buildDoors(composition, { accounts, work: [] })
  const routes: Route[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    routes.push(...[method].flat().map((one) => ({ method: one, url, config })))
  })
  await app.ready()
  await app.close()
  await accounts.close()
  return routes
}
