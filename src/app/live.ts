import { receiveRailEvents } from '../exchange/settlement/rail-event.ts'
import { haltRail } from '../exchange/settlement/halted-rails.ts'
import { bookWalletCosts } from '../exchange/settlement/wallet-cost.ts'
import type { IdentityProvider } from '../identity/provider.ts'
import { openSumsub } from '../identity/sumsub.ts'
import { openEvmRails } from '../rails/evm/rails.ts'
import type { Rail } from '../rails/rail.ts'
import type { ConfigFile, RailEntry } from './config/file.ts'
import type { Foundation, PlugIn } from './plug-in.ts'

/** Opens what the operator's settings connect: chains with a node, and identity providers with credentials. */
export async function openLive(foundation: Foundation): Promise<PlugIn> {
  const evm = await openEvmRails(foundation)
  const configured = await openConfigured(foundation)
  return {
    rails: [...configured, ...evm.rails.values()],
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

/** Opens the rails of one kind from their entries in CONFIG_FILE. */
type OpenRails = (entries: readonly RailEntry[], foundation: Foundation, file: ConfigFile) => Promise<readonly Rail[]>

/** Who opens which kind; `app/config/rail-kinds.ts` has their schemas. */
const railKinds: Readonly<Record<string, OpenRails>> = {}

/** The rails of CONFIG_FILE, in its order. */
async function openConfigured(foundation: Foundation): Promise<Rail[]> {
  const { file } = foundation.config
  const entries = file?.rails ?? []
  const opened = new Map<string, Rail>()
  for (const kind of new Set(entries.map((entry) => entry.kind))) {
    const open = railKinds[kind]
    if (!file || !open) throw new Error(`Nothing opens rails of the kind ${kind}.`)
    const ofKind = entries.filter((entry) => entry.kind === kind)
    for (const rail of await open(ofKind, foundation, file)) opened.set(rail.name, rail)
  }
  return entries.flatMap(({ name }) => opened.get(name) ?? [])
}

function sumsubOf({ config, clock, log }: Foundation): IdentityProvider[] {
  const { sumsubAppToken: appToken, sumsubSecretKey: secretKey, sumsubWebhookSecret: webhookSecret } = config.identity
  if (!appToken || !secretKey || !webhookSecret) return []
  const { sumsubUrl: url, sumsubLevel: level } = config.identity
  return [
    openSumsub({ url, appToken, secretKey, webhookSecret, level, timeoutMs: config.outsideTimeoutMs }, { clock, log }),
  ]
}
