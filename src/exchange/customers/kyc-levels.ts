/** What a verification that is still valid has proven: nothing, the person, or the person and their address. */
export type KycLevel = 'none' | 'basic' | 'full'

/**
 * Names of providers' verification levels that also prove an address. Providers let every account name its levels, so an
 * operator adds theirs here; every other approved level counts as a basic one.
 */
export const fullLevels: ReadonlySet<string> = new Set(['id-liveness-and-address', 'id-and-liveness-and-poa'])
