import type { World } from '../world.ts'

/** A block comes every second of real time, whether anybody looks or not. */
export const blockMs = 1_000

/** The number of the chain's last block. All sandbox chains count alike. */
export const currentBlock = ({ clock }: Pick<World, 'clock'>): bigint =>
  BigInt(Math.trunc(clock.realNow().getTime() / blockMs))

/** When a block comes. */
export const timeOf = (block: bigint): Date => new Date(Number.parseInt(String(block * BigInt(blockMs)), 10))
