/**
 * `npm run lighthouse`: looks with Lighthouse 12 at every page that matters, as on a slow phone, and holds it against its budget
 * (test/budgets). A step of bin/check, where nothing else computes meanwhile.
 *
 *   npm run lighthouse                 all of them
 *   npm run lighthouse -- calculator   the pages whose name has one of these words
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
  await compiled('budgets/measure.js')
} finally {
  await server.stop()
}
process.exit()
