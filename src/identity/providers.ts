import type { Config } from '../app/config/config.ts'
import type { IdentityProvider } from './provider.ts'
import { type Office, openSandboxProvider, sandboxTokens } from '../sandbox/identity/provider.ts'
import { openSumsub, type SumsubSurroundings } from './sumsub.ts'

/** The identity providers of this exchange. */
export type IdentityProviders = {
  /** By name, for callbacks and for applicants who are known already. */
  named(name: string): IdentityProvider | undefined
  /**
   * The one that a partner's token is for. In the sandbox every token that begins with `_act-sandbox-` is the sandbox's own,
   * whichever provider is named beside it, so that a partner's program need not change to go live.
   */
  forToken(name: string, token: string): IdentityProvider | undefined
  /** The one at which customers of the checkout are checked: Sumsub where it has a level, else the sandbox; undefined: none. */
  forChecks(): IdentityProvider | undefined
  close(): Promise<void>
}

/** Opens the providers that are set up: Sumsub where its credentials are, the sandbox in sandbox mode only. */
export function openIdentityProviders(
  { mode, identity, outsideTimeoutMs }: Pick<Config, 'mode' | 'identity' | 'outsideTimeoutMs'>,
  { office, ...surroundings }: SumsubSurroundings & { office: Office },
): IdentityProviders {
  const sandbox = mode === 'sandbox' ? openSandboxProvider(office) : undefined
  const { sumsubAppToken: appToken, sumsubSecretKey: secretKey, sumsubWebhookSecret: webhookSecret } = identity
  const sumsub =
    appToken && secretKey && webhookSecret
      ? openSumsub(
          {
            url: identity.sumsubUrl,
            appToken,
            secretKey,
            webhookSecret,
            level: identity.sumsubLevel,
            timeoutMs: outsideTimeoutMs,
          },
          surroundings,
        )
      : undefined
  const all = new Map([sandbox, sumsub].flatMap((one) => (one ? [[one.name, one] as const] : [])))
  return {
    named: (name) => all.get(name),
    forToken: (name, token) =>
      sandbox && ['sandbox', 'sumsub'].includes(name) && token.startsWith(sandboxTokens) ? sandbox : all.get(name),
    forChecks: () => [sumsub, sandbox].find((one) => one !== undefined && one.pageOrigins().length > 0),
    close: async () => {
      for (const provider of all.values()) await provider.close()
    },
  }
}
