/**
 * `npm run simulate`: lets customers, partners, operators and rails do what they may, at random, with faults, and looks after
 * every step whether everything holds (test/simulation).
 *
 *   npm run simulate -- --minutes 10           one seed after the other, a thousand steps each
 *   npm run simulate -- --seed 7 --steps 500   one seed; the same seed does the same
 *   npm run simulate -- --seed 7 --trace       and prints each step
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { buildIfNeeded, root } from './build.js'

buildIfNeeded()

/** @param {string} file */
const compiled = (file) => import(pathToFileURL(join(root, 'dist/test', file)).href)

/** @type {unknown} */
const support = await compiled('support/server.js')
const { startTestServer } = /** @type {typeof import('../test/support/server.ts')} */ (support)
const server = await startTestServer()
Object.assign(process.env, server.env)
try {
  await compiled('simulation/simulate.js')
} finally {
  await server.stop()
}
process.exit()
