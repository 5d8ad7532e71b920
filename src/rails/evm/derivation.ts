const base = 2n ** 31n

/** Splits an id of ours into two indices of BIP-32, which end at 2^31. Every id up to 2^62 has its own pair. */
export function indicesOf(id: bigint): [high: number, low: number] {
  if (id < 0n || id >= base * base) throw new Error(`No address can be derived for the id ${id}.`)
  return [Number.parseInt(String(id / base), 10), Number.parseInt(String(id % base), 10)]
}
