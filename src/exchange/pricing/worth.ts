import type { Ctx } from '../context.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { rateBetween } from './rate.ts'

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
