import { assetById } from '../../reference/catalog/asset.ts'

/** How many decimals a processor's amounts have, by ISO 4217 code. They differ between processors, and from ISO's own list. */
export type Decimals = (currency: string) => number

/** An amount as a processor writes it. */
export type MinorAmount = { currency: string; amount: bigint }

/** The amount in the processor's minor units. Throws where it cannot be written so exactly: nothing is rounded. */
export function toMinor(decimals: Decimals, asset: string, amount: bigint): MinorAmount {
  const known = assetById(asset)
  if (!known) throw new Error(`A processor cannot move the asset ${asset}.`)
  const currency = known.ticker
  const scale = decimals(currency) - known.decimals
  const unit = 10n ** BigInt(Math.abs(scale))
  if (scale >= 0) return { currency, amount: amount * unit }
  if (amount % unit !== 0n) throw new Error(`${amount} of ${asset} is no whole number of the processor's units.`)
  return { currency, amount: amount / unit }
}

/** The asset and our amount of what a processor wrote; undefined for unknown currencies and amounts that are not exact. */
export function fromMinor(
  decimals: Decimals,
  currency: string,
  amount: bigint,
): { asset: string; amount: bigint } | undefined {
  const known = assetById(`${currency}-${currency}`)
  if (!known) return undefined
  const scale = known.decimals - decimals(currency)
  const unit = 10n ** BigInt(Math.abs(scale))
  if (scale >= 0) return { asset: known.id, amount: amount * unit }
  return amount % unit === 0n ? { asset: known.id, amount: amount / unit } : undefined
}
