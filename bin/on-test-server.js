import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { buildIfNeeded, root } from './build.js'

/**
 * Runs a program of the tests that is no test file, on a database server as `npm test` has one, and ends this process.
 *
 * @param {string} program its compiled file, from dist/test
 */
export async function runOnTestServer(program) {
  buildIfNeeded()
  /** @type {unknown} */
  const support = await compiled('support/server.js')
  const { startTestServer } = /** @type {typeof import('../test/support/server.ts')} */ (support)
  const server = await startTestServer()
  Object.assign(process.env, server.env)
  try {
    await compiled(program)
  } finally {
    await server.stop()
  }
  process.exit()
}

/** @param {string} file */
const compiled = (file) => import(pathToFileURL(join(root, 'dist/test', file)).href)
