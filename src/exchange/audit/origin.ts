import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Where the one is who acts: the address of a request, or a machine's user. It belongs to the request, and not to any of the verbs in
 * between, which would all have to pass it on.
 */
const origins = new AsyncLocalStorage<string>()

/** Which action is being done, `payout.approve`. It belongs to the door that does it, and to no verb, for the same reason. */
const actions = new AsyncLocalStorage<string>()

/** Runs `work`, whose audit entries say that they came from `origin`. */
export const withOrigin = <T>(origin: string, work: () => T): T => origins.run(origin, work)

/** Where the one is who acts now; null for the service itself. */
export const currentOrigin = (): string | null => origins.getStore() ?? null

/** Runs `work`, whose audit entries say that this action made them. */
export const withAction = <T>(name: string, work: () => T): T => actions.run(name, work)

/** The action that is being done now; null for what the service or the API does. */
export const currentAction = (): string | null => actions.getStore() ?? null
