/**
 * `npm start`: builds if a source changed and serves, in one process, so that a signal to npm or to its group stops everything.
 */
import { buildIfNeeded } from './build.js'
import { runCommand } from './run-command.js'

buildIfNeeded()
await runCommand(['serve', ...process.argv.slice(2)])
