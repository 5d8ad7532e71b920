/**
 * `npm run axe`: looks at every page of the checkout, the calculator and what the sandbox plays with axe, in every language, light and
 * dark, narrow and wide, by every rule. `npm run pages` sees each page in each language, and English in every combination.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'

import { root } from './build.js'

for (const file of readdirSync(join(root, 'assets/languages'))) {
  const env = { ...process.env, AXE_LANGUAGE: parse(file).name }
  const { status } = spawnSync(process.execPath, [join(root, 'bin/test.js'), 'browser/axe'], { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
