/**
 * `npm start`: builds if need be and serves, in one process, so that a signal to npm or to its group ends everything.
 */
import { buildIfNeeded } from './build.js'
import { runCommand } from './run-command.js'

buildIfNeeded()
await runCommand(['serve', ...process.argv.slice(2)])
