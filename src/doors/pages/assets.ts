import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../platform/lib/root.ts'
import { icon, serveFile, type Sheet, sheetOf, styleSheet } from '../ui/serve-file.ts'

/** The style sheet of the console and the portal, and the path of its icon. */
export type Assets = { sheet: Sheet; icon: string }

/** Serves the icon. Files are read once. */
export function serveAssets(app: FastifyInstance): Assets {
  const own = readFileSync(join(projectRoot, 'src/doors/pages/pages.css'), 'utf8')
  return { sheet: sheetOf(styleSheet(own)), icon: serveFile(app, icon()) }
}
