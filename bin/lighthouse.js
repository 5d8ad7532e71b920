/**
 * `npm run lighthouse`: looks with Lighthouse 12 at every page that matters, as on a slow phone, and holds it against its budget
 * (test/budgets). A step of bin/check, where nothing else computes meanwhile.
 *
 *   npm run lighthouse                 all of them
 *   npm run lighthouse -- calculator   the pages whose name has one of these words
 */
import { runOnTestServer } from './on-test-server.js'

await runOnTestServer('budgets/measure.js')
