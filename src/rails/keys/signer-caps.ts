import { detach } from '../../platform/lib/detach.ts'
import { stopwatch } from '../../platform/lib/clock.ts'
import type { SignerClient } from './signer-client.ts'

/** The most that one payment of an asset may have, its fee included; undefined: the signer has not said so yet. In smallest units. */
export type MostOf = (asset: string) => bigint | undefined

/** What the signer says of its caps, with its keys and with its status. */
export type SaidCaps = { most?: Record<string, string> }

/** How old what the signer has said may be, in real milliseconds, before it is asked again: its policy changes with a restart. */
const everyMs = 5_000

/**
 * Remembers what the signer says of its caps. `most` answers at once, and asks again where that is old: what changes is known with
 * one of the next answers. An asset without caps has none: nothing of it is signed.
 */
export function rememberCaps(client: SignerClient): { learn(said: SaidCaps): void; most: MostOf } {
  let known: ReadonlyMap<string, bigint> | undefined
  let age = stopwatch()
  const learn = ({ most }: SaidCaps): void => {
    if (most) known = new Map(Object.entries(most).map(([asset, units]) => [asset, BigInt(units)]))
  }
  return {
    learn,
    most: (asset) => {
      if (age() > everyMs) {
        age = stopwatch()
        // What was said before holds while the signer is away.
        detach(client.call<SaidCaps>('/status', {}).then(learn, () => undefined))
      }
      return known ? (known.get(asset) ?? 0n) : undefined
    },
  }
}

/** What is left of a bound once a fee of the same asset may be taken as well. */
export function mostWithFee(
  most: MostOf | undefined,
  asset: string,
  fee: { asset: string; amount: bigint } | undefined,
): bigint | undefined {
  const bound = most?.(asset)
  const forFee = fee && most?.(fee.asset)
  if (bound === undefined || !fee || forFee === undefined) return bound
  if (forFee <= fee.amount) return 0n
  return fee.asset === asset ? bound - fee.amount : bound
}
