import { receiveRailEvents } from '../exchange/settlement/rail-event.ts'
import { haltRail } from '../exchange/settlement/halted-rails.ts'
import { bookWalletCosts } from '../exchange/settlement/wallet-cost.ts'
import type { IdentityProvider } from '../identity/provider.ts'
import { openSumsub } from '../identity/sumsub.ts'
import { openEvmRails } from '../rails/evm/rails.ts'
import type { Foundation, PlugIn } from './plug-in.ts'

/** Opens what the operator's settings connect: chains with a node, and identity providers with credentials. */
export async function openLive(foundation: Foundation): Promise<PlugIn> {
  const evm = await openEvmRails(foundation)
  return {
    rails: [...evm.rails.values()],
    identityProviders: sumsubOf(foundation),
    openingBalance: (network) => (evm.rails.has(network) ? (asset) => evm.opening(network, asset) : undefined),
    follow: (ctx) =>
      evm.follow({
        report: (db, events) => receiveRailEvents(ctx, db, events),
        charge: (db, costs) => bookWalletCosts(ctx, db, costs),
        halt: (db, rail, reason) => haltRail(db, { rail, since: ctx.clock.now(), reason }),
      }),
  }
}

function sumsubOf({ config, clock, log }: Foundation): IdentityProvider[] {
  const { sumsubAppToken: appToken, sumsubSecretKey: secretKey, sumsubWebhookSecret: webhookSecret } = config.identity
  if (!appToken || !secretKey || !webhookSecret) return []
  const { sumsubUrl: url, sumsubLevel: level } = config.identity
  return [
    openSumsub({ url, appToken, secretKey, webhookSecret, level, timeoutMs: config.outsideTimeoutMs }, { clock, log }),
  ]
}
