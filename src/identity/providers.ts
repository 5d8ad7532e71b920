import type { IdentityProvider } from './provider.ts'

/** The identity providers of this exchange. */
export type IdentityProviders = {
  /** By name, for callbacks and for applicants who are known already. */
  named(name: string): IdentityProvider | undefined
  /** The provider that reads a shared token, by the name that the partner gave with it. */
  forToken(name: string, token: string): IdentityProvider | undefined
  /** The provider that checks customers of the checkout: the first that is set up to start checks. */
  forChecks(): IdentityProvider | undefined
  close(): Promise<void>
}

/** Makes providers available under their names. The first ones are preferred for checks. */
export function identityProviders(all: readonly IdentityProvider[]): IdentityProviders {
  const byName = new Map(all.map((provider) => [provider.name, provider]))
  return {
    named: (name) => byName.get(name),
    forToken: (name, token) =>
      all.find((provider) => provider.claims?.(name, token)) ??
      byName.get(name) ??
      all.find(({ standsInFor }) => standsInFor === name),
    forChecks: () => all.find((provider) => provider.pageOrigins().length > 0),
    close: async () => {
      for (const provider of all) await provider.close()
    },
  }
}
