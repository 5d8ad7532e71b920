import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../platform/lib/root.ts'
import { icon, scriptFile, serveFile, type Sheet, sheetOf, styleSheet } from '../ui/serve-file.ts'

/** The style sheet of the console and the portal, and the paths of its icon and its scripts. */
export type Assets = { sheet: Sheet; icon: string; passkey: string; renew: string }

/** Compiled next to this file. */
const islands = fileURLToPath(new URL('islands', import.meta.url))

/** Serves the icon and the scripts. Files are read once. */
export function serveAssets(app: FastifyInstance): Assets {
  const own = readFileSync(join(projectRoot, 'src/doors/pages/pages.css'), 'utf8')
  return {
    sheet: sheetOf(styleSheet(own)),
    icon: serveFile(app, icon()),
    passkey: serveFile(app, scriptFile(islands, 'passkey.js')),
    renew: serveFile(app, scriptFile(islands, 'renew.js')),
  }
}
