import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Where the one is who acts: the address of a request, or a machine's user. It belongs to the request, and not to any of the verbs in
 * between, which would all have to pass it on.
 */
const origins = new AsyncLocalStorage<string>()

/** Runs `work`, whose audit entries say that they came from `origin`. */
export const withOrigin = <T>(origin: string, work: () => T): T => origins.run(origin, work)

/** Where the one is who acts now; null for the service itself. */
export const currentOrigin = (): string | null => origins.getStore() ?? null
