import { receiveRailEvents } from '../exchange/settlement/rail-event.ts'
import { holdQueuedPayees } from '../exchange/settlement/hold-payees.ts'
import { endCreditingHalt, haltCrediting } from '../exchange/settlement/halts.ts'
import { mayComeBack } from '../exchange/settlement/payout.ts'
import { isDecided } from '../exchange/settlement/reverse-own-money.ts'
import { bookCharges } from '../exchange/settlement/charges.ts'
import { isBalanceOpened } from '../exchange/treasury/balances.ts'
import type { IdentityProvider } from '../identity/provider.ts'
import { openSumsub } from '../identity/sumsub.ts'
import { worthIn } from '../exchange/pricing/worth.ts'
import { type RailReports, together } from '../rails/kind.ts'
import { tradingVenue } from '../markets/ccxt/trading.ts'
import type { TradingVenue } from '../markets/trading-venue.ts'
import { forgetTestNetworks } from '../reference/addresses/test-network.ts'
import { enqueueComparison } from '../exchange/reconciliation/compare-statements.ts'
import { isBankFileAccepted } from '../exchange/operations/bank-files.ts'
import { secretOf } from './config/file.ts'
import type { Foundation, PlugIn } from './plug-in.ts'
import { openRails, railToolsOf } from './rails.ts'
import { forwardHalts } from './signer.ts'

/** Opens what the operator's settings connect: chains with a node, and identity providers with credentials. */
export async function openLive(foundation: Foundation): Promise<PlugIn> {
  forgetTestNetworks()
  const tools = railToolsOf(foundation)
  const { signer } = tools
  const { rails, kinds } = await openRails(foundation.config.file?.rails ?? [], tools)
  return {
    venue: openHedging(foundation),
    signer,
    rails,
    identityProviders: sumsubOf(foundation),
    openingBalance: (network) =>
      kinds.map((kind) => kind.openingBalance?.(network)).find((opening) => opening !== undefined),
    follow: (ctx) => {
      const { two_nodes_above: euros = '0' } = foundation.config.file?.custody ?? {}
      const reports: RailReports = {
        report: (db, events) => receiveRailEvents(ctx, db, events),
        charge: (db, costs) => bookCharges(ctx, db, costs),
        accepts: (db, file) => isBankFileAccepted(ctx, db, file),
        isDecided,
        isOpened: (db, of) => isBalanceOpened(ctx, db, of),
        mayComeBack,
        holdPayees: (db, of) => holdQueuedPayees(ctx, db, of),
        taken: (db, file) => enqueueComparison(ctx, db, file),
        halt: (db, rail, reason) => haltCrediting(db, { rail, since: ctx.clock.now(), reason }),
        resume: (db, rail, reason) => endCreditingHalt(ctx, db, { rail, reason }),
        oneNodeBelow: (asset) => worthIn(ctx, asset, euros),
      }
      const following = kinds.flatMap((kind) => kind.follow?.(reports) ?? [])
      if (signer) following.push(forwardHalts(ctx, signer))
      return together(following)
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

function sumsubOf({ config, clock, log }: Foundation): IdentityProvider[] {
  const { sumsubAppToken: appToken, sumsubSecretKey: secretKey, sumsubWebhookSecret: webhookSecret } = config.identity
  if (!appToken || !secretKey || !webhookSecret) return []
  const { sumsubUrl: url, sumsubLevel: level } = config.identity
  return [
    openSumsub({ url, appToken, secretKey, webhookSecret, level, timeoutMs: config.outsideTimeoutMs }, { clock, log }),
  ]
}
