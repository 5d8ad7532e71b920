import { type ReportedEvent, receiveRailEvents } from '../exchange/settlement/rail-event.ts'
import { holdQueuedPayees } from '../exchange/settlement/hold-payees.ts'
import { endCreditingHalt, haltCrediting } from '../exchange/settlement/halts.ts'
import { mayComeBack } from '../exchange/settlement/payout.ts'
import { isDecided, type OwnPayment } from '../exchange/settlement/reverse-own-money.ts'
import { bookCharges } from '../exchange/settlement/charges.ts'
import { isBalanceOpened } from '../exchange/treasury/balances.ts'
import type { IdentityProvider } from '../identity/provider.ts'
import { openSumsub } from '../identity/sumsub.ts'
import { openBitcoin, worthIn } from './bitcoin.ts'
import { openEvm } from './evm.ts'
import type { EvmRails } from '../rails/evm/rails.ts'
import { tradingVenue } from '../markets/ccxt/trading.ts'
import type { TradingVenue } from '../markets/trading-venue.ts'
import type { Atomic } from '../platform/db/sql.ts'
import { forgetTestNetworks } from '../reference/addresses/test-network.ts'
import { enqueueComparison } from '../exchange/reconciliation/compare-statements.ts'
import { isBankFileAccepted } from '../exchange/operations/bank-files.ts'
import { openBankRails } from '../rails/iso20022/rails.ts'
import type { BankEntry } from '../rails/iso20022/settings.ts'
import type { Rail } from '../rails/rail.ts'
import { openCheckoutCom } from '../rails/checkout-com/open.ts'
import type { CheckoutComEntry } from '../rails/checkout-com/settings.ts'
import { openHyperswitch, settingsOf } from '../rails/hyperswitch/open.ts'
import type { HyperswitchEntry } from '../rails/hyperswitch/settings.ts'
import { openXrplRails } from '../rails/xrpl/rails.ts'
import type { XrplSettings } from '../rails/xrpl/settings.ts'
import { type ConfigFile, type RailEntry, secretOf } from './config/file.ts'
import type { Foundation, PlugIn } from './plug-in.ts'
import { forwardHalts, signerOf } from './signer.ts'

/** Opens what the operator's settings connect: chains with a node, and identity providers with credentials. */
export async function openLive(foundation: Foundation): Promise<PlugIn> {
  forgetTestNetworks()
  const signer = signerOf(foundation.config.file, foundation.db)
  const evm = await openEvm(foundation)
  const configured = await openConfigured(foundation, evm)
  return {
    venue: openHedging(foundation),
    signer,
    rails: configured.rails,
    identityProviders: sumsubOf(foundation),
    openingBalance: (network) => {
      if (evm.rails.has(network)) return (asset) => evm.opening(network, asset)
      return configured.kinds.map((kind) => kind.openingBalance?.(network)).find((opening) => opening !== undefined)
    },
    follow: (ctx) => {
      const reports = {
        report: (db: Atomic, events: readonly ReportedEvent[]) => receiveRailEvents(ctx, db, events),
        charge: (db: Atomic, costs: Parameters<typeof bookCharges>[2]) => bookCharges(ctx, db, costs),
        accepts: (db: Atomic, file: Parameters<typeof isBankFileAccepted>[2]) => isBankFileAccepted(ctx, db, file),
        isDecided,
        isOpened: (db: Atomic, of: Parameters<typeof isBalanceOpened>[2]) => isBalanceOpened(ctx, db, of),
        mayComeBack,
        holdPayees: (db: Atomic, of: Parameters<typeof holdQueuedPayees>[2]) => holdQueuedPayees(ctx, db, of),
        taken: (db: Atomic, file: { id: bigint }) => enqueueComparison(ctx, db, file),
        halt: (db: Atomic, rail: string, reason: string) => haltCrediting(db, { rail, since: ctx.clock.now(), reason }),
      }
      const resume = (db: Atomic, rail: string, reason: string) => endCreditingHalt(ctx, db, { rail, reason })
      const { two_nodes_above: euros = '0' } = foundation.config.file?.custody ?? {}
      const oneNodeBelow = (asset: string) => worthIn(ctx, asset, euros)
      const following = [evm, ...configured.kinds].flatMap(
        (one) => one.follow?.({ ...reports, resume, oneNodeBelow }) ?? [],
      )
      if (signer) following.push(forwardHalts(ctx, signer))
      return {
        stop: async () => {
          await Promise.all(following.map((one) => one.stop()))
        },
      }
    },
  }
}

/** Reaches the exchange of the section `treasury`, in the child process that talks to exchanges. */
function openHedging({ config, ccxt }: Foundation): TradingVenue | undefined {
  const { file, hedging } = config
  const { venue: exchange, api_key: apiKey, secret, password, urls } = file?.treasury ?? {}
  if (!file || !hedging || exchange === undefined) return undefined
  const credential = (reference: string | undefined) => reference && secretOf(reference, file)
  const calls = ccxt.venue(hedging.venue, {
    exchange,
    urls,
    apiKey: credential(apiKey),
    secret: credential(secret),
    password: credential(password),
  })
  return tradingVenue(hedging.venue, calls)
}

/** The rails of one kind, and the work that never ends of processes that are workers. */
type OpenedRails = {
  rails: readonly Rail[]
  openingBalance?: PlugIn['openingBalance']
  follow?(reports: RailReports): { stop(): Promise<void> }
}

/** What a rail that follows its provider reports to: events, its own costs, and that it must stop crediting. */
export type RailReports = {
  report(db: Atomic, events: readonly ReportedEvent[]): Promise<void>
  /** Whether operators have accepted a file of a bank as it is. */
  accepts(db: Atomic, file: Parameters<typeof isBankFileAccepted>[2]): Promise<boolean>
  isDecided(db: Atomic, money: OwnPayment): Promise<boolean>
  isOpened(db: Atomic, of: Parameters<typeof isBalanceOpened>[2]): Promise<boolean>
  mayComeBack(db: Atomic, payment: { rail: string; key: string }): Promise<boolean>
  holdPayees(db: Atomic, of: Parameters<typeof holdQueuedPayees>[2]): Promise<readonly string[]>
  /** A file of a bank was stored. */
  taken(db: Atomic, file: { id: bigint }): void
  /** Books what a provider or a chain has charged. */
  charge(db: Atomic, costs: { place: string; asset: string; amount: bigint }[]): Promise<void>
  halt(db: Atomic, rail: string, reason: string): void
  /** What was halted for this reason credits again by itself. */
  resume(db: Atomic, rail: string, reason: string): void
  /** The amount of an asset below which a deposit needs one node only: `custody.two_nodes_above` in smallest units. */
  oneNodeBelow(asset: string): bigint
}

/** Opens the rails of one kind from their entries in CONFIG_FILE. */
type OpenRails = (entries: readonly RailEntry[], foundation: Foundation, file: ConfigFile) => Promise<OpenedRails>

/** Who opens which kind; `app/config/rail-kinds.ts` has their schemas. */
const railKinds: Readonly<Record<string, OpenRails>> = {
  bitcoin: async (entries, foundation, file) => {
    const { rails, networks, opening, follow } = await openBitcoin(entries, foundation, file)
    const openingBalance = (network: string) => (networks.includes(network) ? () => opening(network) : undefined)
    return { rails, openingBalance, follow }
  },
  iso20022: (entries, foundation, file) =>
    openBankRails(entries as readonly BankEntry[], foundation, {
      folder: file.folder,
      secretOf: (reference) => secretOf(reference, file),
    }),
  'checkout-com': async (entries, { config, db, clock, log }, file) =>
    openCheckoutCom(entries as unknown as readonly CheckoutComEntry[], {
      db,
      clock,
      log,
      timeoutMs: config.outsideTimeoutMs,
      secret: (reference) => secretOf(reference, file),
    }),
  hyperswitch: async (entries, { config, db, clock, log }, file) => {
    const settings = entries.map((entry) =>
      settingsOf(entry as unknown as HyperswitchEntry, (one) => secretOf(one, file)),
    )
    return openHyperswitch(settings, { db, clock, log, timeoutMs: config.outsideTimeoutMs })
  },
  xrpl: async (entries, { config, db, clock, log, secrets }, file) => {
    const { rails, follow } = await openXrplRails(entries as readonly (RailEntry & XrplSettings)[], {
      db,
      clock,
      log,
      secrets,
      timeoutMs: config.outsideTimeoutMs,
      readSecret: (reference) => secretOf(reference, file),
      needsTwoNodes: config.mode === 'live',
      folder: file.folder,
      signer: signerOf(file, db),
    })
    return { rails, follow }
  },
}

/** The rails of CONFIG_FILE, in its order, and those chains that only the settings name. */
async function openConfigured(foundation: Foundation, evm: EvmRails): Promise<{ rails: Rail[]; kinds: OpenedRails[] }> {
  const { file } = foundation.config
  const entries = file?.rails ?? []
  const kinds: OpenedRails[] = []
  for (const kind of new Set(entries.map((entry) => entry.kind).filter((one) => one !== 'evm'))) {
    const open = railKinds[kind]
    if (!file || !open) throw new Error(`Nothing opens rails of the kind ${kind}.`)
    const ofKind = entries.filter((entry) => entry.kind === kind)
    kinds.push(await open(ofKind, foundation, file))
  }
  const chains = [...evm.rails.values()]
  const opened = new Map([...kinds.flatMap(({ rails }) => rails), ...chains].map((rail) => [rail.name, rail]))
  const rails = entries.flatMap((entry) => {
    const rail = opened.get(entry.name)
    return rail ? { ...rail, preference: preferenceOf(entry) } : []
  })
  return { rails: [...rails, ...chains.filter(({ name }) => !entries.some((entry) => entry.name === name))], kinds }
}

/** How a configured rail shares new payments with others that serve the same. */
const preferenceOf = ({ priority = 1, weight = 1 }: RailEntry & { priority?: number; weight?: number }) => ({
  priority,
  weight,
})

function sumsubOf({ config, clock, log }: Foundation): IdentityProvider[] {
  const { sumsubAppToken: appToken, sumsubSecretKey: secretKey, sumsubWebhookSecret: webhookSecret } = config.identity
  if (!appToken || !secretKey || !webhookSecret) return []
  const { sumsubUrl: url, sumsubLevel: level } = config.identity
  return [
    openSumsub({ url, appToken, secretKey, webhookSecret, level, timeoutMs: config.outsideTimeoutMs }, { clock, log }),
  ]
}
