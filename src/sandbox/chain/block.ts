import type { World } from '../world.ts'

type Beat = Pick<World, 'clock' | 'blockMs'>

/** How often a block comes, in milliseconds of real time, whether anybody looks or not: every second. */
export const blockMsOf = ({ blockMs = 1_000 }: Pick<World, 'blockMs'>): number => blockMs

/** The number of the chain's last block. All sandbox chains count alike. */
export const currentBlock = (world: Beat): bigint =>
  BigInt(Math.trunc(world.clock.realNow().getTime() / blockMsOf(world)))

/** When a block comes. */
export const timeOf = (world: Pick<World, 'blockMs'>, block: bigint): Date =>
  new Date(Number.parseInt(String(block * BigInt(blockMsOf(world))), 10))

/** The last block at a time. */
export const blockAt = (world: Pick<World, 'blockMs'>, at: Date): bigint =>
  BigInt(Math.max(0, Math.trunc(at.getTime() / blockMsOf(world))))
