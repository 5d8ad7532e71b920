/**
 * `npm run pages`: looks at every page of the checkout, the calculator and what the sandbox plays in every language, for layout and for
 * what axe finds, and as every reader who sees little. The suite looks at each page once, in one language after the other.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { root } from './build.js'

const env = { ...process.env, PAGES: 'whole' }
const args = [join(root, 'bin/test.js'), 'browser/axe', 'browser/layout', 'browser/zoom']
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1
