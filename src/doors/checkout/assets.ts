import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../platform/lib/root.ts'
import { icon, scriptFile, scriptOf, serveFile, type Sheet, sheetOf, styleSheet } from '../ui/serve-file.ts'

/** The checkout's style sheet, and the paths of its other files. */
export type Assets = { sheet: Sheet } & Record<'icon' | 'script' | 'scan' | 'task', string>

/** Compiled next to this file. */
const islands = fileURLToPath(new URL('islands', import.meta.url))

/** Serves the icon and the islands, and gives their paths. They are read once. */
export function serveAssets(app: FastifyInstance): Assets {
  const own = readFileSync(join(projectRoot, 'src/doors/checkout/checkout.css'), 'utf8')
  return {
    sheet: sheetOf(styleSheet(own)),
    icon: serveFile(app, icon()),
    script: serveFile(app, scriptOf('checkout.js', islands, ['form.js', 'live.js', 'check.js', 'fill.js'])),
    scan: serveFile(app, scriptFile(islands, 'scan.js')),
    task: serveFile(app, scriptFile(islands, 'task.js')),
  }
}
