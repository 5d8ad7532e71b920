import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../lib/root.ts'
import { icon, scriptFile, serveFile, styleSheet } from '../ui/serve-file.ts'

/** The paths of the checkout's own files. */
export type AssetPaths = { style: string; icon: string; form: string; live: string }

/** Compiled beside this file. */
const islands = fileURLToPath(new URL('islands', import.meta.url))

/** Serves the style sheet, the icon and the islands, and gives their paths. They are read once. */
export function serveAssets(app: FastifyInstance): AssetPaths {
  const own = readFileSync(join(projectRoot, 'src/checkout/checkout.css'), 'utf8')
  return {
    style: serveFile(app, styleSheet('checkout.css', own)),
    icon: serveFile(app, icon()),
    form: serveFile(app, scriptFile(islands, 'form.js')),
    live: serveFile(app, scriptFile(islands, 'live.js')),
  }
}
