/** A part of a walk: straight lines between random points so many ticks apart; `part` in hundredths of the amplitude. */
export type Wave = { ticks: bigint; part: bigint }

/**
 * A pseudo-random walk: the distance from a level at a tick, at most `amplitude`. Every tick costs the same to compute, and the
 * same name always gives the same walk in every process (value noise over hashed lattice points, integers only).
 */
export function walkOf(name: string, amplitude: bigint, waves: readonly Wave[]): (tick: bigint) => bigint {
  const named = waves.map((wave) => ({ ...wave, seed: fnv1a(`${name}/${wave.ticks}`) }))
  return (tick) => {
    let move = 0n
    for (const { ticks, part, seed } of named) {
      const [point, way] = [tick / ticks, tick % ticks]
      const [here, next] = [latticePoint(seed, point), latticePoint(seed, point + 1n)]
      move += (amplitude * part * (here * (ticks - way) + next * way)) / (100n * ticks * million)
    }
    return move
  }
}

const million = 1_000_000n

/** A whole number from -1,000,000 to 1,000,000 that looks random and depends on the seed and the point alone. */
const latticePoint = (seed: bigint, point: bigint): bigint => (hash(seed ^ point) % (2n * million + 1n)) - million

const uint64 = (value: bigint): bigint => BigInt.asUintN(64, value)

/** FNV-1a, 64 bits: a text becomes a number (isthe.com/chongo/tech/comp/fnv). */
function fnv1a(text: string): bigint {
  let value = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) value = uint64((value ^ BigInt(byte)) * 0x100000001b3n)
  return value
}

/** The finishing steps of splitmix64: near numbers become far ones (prng.di.unimi.it/splitmix64.c). */
function hash(seed: bigint): bigint {
  let value = uint64(seed + 0x9e3779b97f4a7c15n)
  value = uint64((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n)
  value = uint64((value ^ (value >> 27n)) * 0x94d049bb133111ebn)
  return value ^ (value >> 31n)
}
