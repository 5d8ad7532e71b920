/**
 * Proof from the rail that a prepared payment was carried out: its hash, and what it cost the custody account. `arrived`: what the
 * recipient got, where that is not its amount; `taken`: what left beyond its amount, of the same asset.
 */
export type Evidence = {
  hash: string
  fee: { asset: string; amount: bigint } | undefined
  arrived?: bigint | undefined
  taken?: bigint | undefined
}
