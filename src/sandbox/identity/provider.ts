import type { IdentityProvider } from '../../identity/provider.ts'
import { checkedPerson, providerName, readCheckCallback, startCheck } from './check.ts'
import type { IdentityContext } from './context.ts'
import { personById, personByToken } from './shared.ts'

/** How tokens of the sandbox begin; no real provider's do. */
const tokenPrefix = '_act-sandbox-'

/** The provider that partners name with their tokens. Programs that name it in the sandbox need no change to go live. */
const realProvider = 'sumsub'

/**
 * The provider of the sandbox. The outcome of a shared token follows from its text, so that every process gives the same
 * applicant for the same token, at any time, and nothing has to be remembered:
 *
 *     _act-sandbox-approved-<any>    approved                 _act-sandbox-used-<any>      refused, as a used one
 *     _act-sandbox-review-<any>      in review, forever       _act-sandbox-expired-<any>   refused, as an expired one
 *     _act-sandbox-rejected-<any>    rejected                 _act-sandbox-down-<any>      the provider is down
 *     _act-sandbox-high-risk-<any>   approved, with a screening hit
 *
 * `<any>` is 1 to 200 printable characters without spaces; anything else is an unknown token. It doesn't remember which
 * partner used a token: the exchange refuses one that another partner has imported.
 *
 * Checks are remembered: they have separate pages (`serveCheckPages`), where the customer chooses how they end, and are
 * reported by signed callbacks.
 */
export const openSandboxProvider = (identity: IdentityContext): IdentityProvider => ({
  name: providerName,
  claims: (named, token) => [providerName, realProvider].includes(named) && token.startsWith(tokenPrefix),
  standsInFor: realProvider,
  importByToken: async ({ token }) => personByToken(token),
  start: (order) => startCheck(identity, order),
  pageOrigins: () => [identity.url()],
  applicant: async (id) => personById(id) ?? checkedPerson(identity, id),
  applicantStatus: async (id) => (personById(id) ?? (await checkedPerson(identity, id)))?.review,
  readCallback: (body, headers) => readCheckCallback(identity, body, headers),
  close: async () => undefined,
})

export type { IdentityContext } from './context.ts'
export { serveCheckPages } from './serve-check.ts'
