/**
 * `npm run simulate`: lets customers, partners, operators and rails do what they may, at random, with faults, and looks after
 * every step whether everything holds (test/simulation).
 *
 *   npm run simulate -- --minutes 10           one seed after the other, a thousand steps each
 *   npm run simulate -- --seed 7 --steps 500   one seed; the same seed does the same
 *   npm run simulate -- --seed 7 --trace       and prints each step
 */
import { runOnTestServer } from './on-test-server.js'

await runOnTestServer('simulation/simulate.js')
