import { join } from 'node:path'

import { rateBetween } from '../exchange/pricing/rate.ts'
import type { Ctx } from '../exchange/context.ts'
import { bookedAsset } from '../reference/catalog/sync-assets.ts'
import { mnemonicOf } from '../rails/bitcoin/mnemonic.ts'
import { type BitcoinRails, openBitcoinRails } from '../rails/bitcoin/rails.ts'
import type { BitcoinSettings } from '../rails/bitcoin/settings.ts'
import { type ConfigFile, type RailEntry, secretOf } from './config/file.ts'
import type { Foundation } from './plug-in.ts'
import { signerOf } from './signer.ts'

/** Opens the rails of the kind `bitcoin`. Outside live mode, a rail without keys gets some in the data folder. */
export async function openBitcoin(
  entries: readonly RailEntry[],
  { config, db, clock, log, secrets }: Pick<Foundation, 'config' | 'db' | 'clock' | 'log' | 'secrets'>,
  file: ConfigFile,
): Promise<BitcoinRails> {
  const isLive = config.mode === 'live'
  const readSecret = (reference: string): string => secretOf(reference, file)
  const madeKeys = isLive ? undefined : join(config.dataDir, 'keys')
  return openBitcoinRails(entries as readonly (RailEntry & BitcoinSettings)[], {
    db,
    clock,
    log,
    secrets,
    confirmations: config.confirmations,
    timeoutMs: config.outsideTimeoutMs,
    readSecret,
    mnemonicOf: (entry) => mnemonicOf(entry, { folder: file.folder, readSecret, madeKeys }),
    signer: signerOf(file, db),
    needsTwoNodes: isLive,
  })
}

/**
 * The amount of an asset, in its smallest units, that is worth a number of EUR (as decimal text); 0 where its price is not known,
 * so that nothing counts as small then.
 */
export function worthIn(ctx: Pick<Ctx, 'market' | 'clock' | 'config'>, asset: string, euros: string): bigint {
  const [whole = '0', cents = ''] = euros.split('.')
  const amount = BigInt(whole + cents.padEnd(2, '0'))
  const booked = bookedAsset(asset)
  if (amount === 0n || !booked) return 0n
  const maxPriceAgeSeconds = ctx.config.pricing.staleAfterMs / 1_000
  const rate = rateBetween({ market: ctx.market, now: ctx.clock.now(), maxPriceAgeSeconds }, 'EUR', booked.ticker)
  if (!rate) return 0n
  return (amount * 10n ** BigInt(booked.decimals) * rate.price.numerator) / (rate.price.denominator * 100n)
}
