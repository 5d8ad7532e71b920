/**
 * Names of providers' verification levels that prove a place of residence besides the person. Providers let every account
 * name its levels, so an operator adds theirs here; every other approved level counts as a basic one.
 */
export const fullLevels: ReadonlySet<string> = new Set([
  'id-liveness-and-address',
  'id-and-liveness-and-poa',
  'sandbox-id-liveness-and-address',
])
