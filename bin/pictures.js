/**
 * `npm run pictures`: takes pictures of the pages that customers see, in every state, as the sandbox shows them (test/pictures).
 *
 *   npm run pictures                                those of the documentation, into docs/pictures/
 *   npm run pictures -- --out /tmp/pictures         every page, in every language, small and wide, light and dark
 *   npm run pictures -- --out /tmp/p --only /de/    those whose path has this in it
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { buildIfNeeded, root } from './build.js'

buildIfNeeded()
await import(pathToFileURL(join(root, 'dist/test/pictures/take.js')).href)
