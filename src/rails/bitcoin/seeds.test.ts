import { after, before, it } from 'node:test'

import { type BitcoinWorld, openBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { runBitcoinSeed } from '../../../test/simulation/bitcoin.ts'

/** How many seeds: `BITCOIN_SEEDS=200 npm test -- bitcoin/seeds` runs more of them. */
const seeds = Number.parseInt(process.env.BITCOIN_SEEDS ?? '20', 10)
const first = Number.parseInt(process.env.BITCOIN_SEED ?? '1', 10)

let world: BitcoinWorld
before(async () => {
  world = await openBitcoinWorld()
  // No reorganization goes back to before we began.
  await world.node.mine(10)
  await world.one.follow()
})
after(() => world.close())

it('whatever happens to the chain, its nodes and our processes, payouts are paid once and deposits credited once', async () => {
  for (let seed = first; seed < first + seeds; seed += 1) await runBitcoinSeed(world, seed, 25)
})
