import { it } from 'node:test'

import { openBitcoinWorld } from '../../../test/support/bitcoin-world.ts'
import { runBitcoinSeed } from '../../../test/simulation/bitcoin.ts'

/** How many seeds: `BITCOIN_SEEDS=200 npm test -- bitcoin/seeds` runs more of them. */
const seeds = Number.parseInt(process.env.BITCOIN_SEEDS ?? '20', 10)
const first = Number.parseInt(process.env.BITCOIN_SEED ?? '1', 10)
/** A customer's coins last for about so many. */
const inOneWorld = 10

it('whatever happens to the chain, its nodes and our processes, payouts are paid once and deposits credited once', async () => {
  for (let from = first; from < first + seeds; from += inOneWorld) {
    const world = await openBitcoinWorld()
    try {
      // No reorganization goes back to before we began.
      await world.node.mine(10)
      await world.one.follow()
      for (let seed = from; seed < Math.min(from + inOneWorld, first + seeds); seed += 1) {
        await runBitcoinSeed(world, seed, 25)
      }
    } finally {
      await world.close()
    }
  }
})
