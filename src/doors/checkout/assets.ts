import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../platform/lib/root.ts'
import { keyShapes, leastPhraseLength, runTogether, separators } from '../../reference/addresses/secret-shapes.ts'
import {
  icon,
  type PageFile,
  scriptFile,
  scriptOf,
  serveFile,
  type Sheet,
  sheetOf,
  styleSheet,
} from '../ui/serve-file.ts'

/** The checkout's style sheet, and the paths of its other files. */
export type Assets = { sheet: Sheet } & Record<'icon' | 'script' | 'scan' | 'task', string>

/** Compiled next to this file. */
const islands = fileURLToPath(new URL('islands', import.meta.url))

/** What clears secrets comes first, so that nothing else sees them. */
const parts = ['secret.js', 'form.js', 'live.js', 'check.js', 'fill.js'] as const

/** A script after what it knows secrets by. */
const withShapes = ({ name, text }: PageFile): PageFile => ({
  name,
  text: `const secretShapes={keys:[${keyShapes.join(',')}],together:${String(runTogether)},least:${leastPhraseLength},separators:${String(separators)}};\n${text}`,
})

/** Serves the icon and the islands, and gives their paths. They are read once. */
export function serveAssets(app: FastifyInstance): Assets {
  const own = readFileSync(join(projectRoot, 'src/doors/checkout/checkout.css'), 'utf8')
  return {
    sheet: sheetOf(styleSheet(own)),
    icon: serveFile(app, icon()),
    script: serveFile(app, withShapes(scriptOf('checkout.js', islands, parts))),
    scan: serveFile(app, scriptFile(islands, 'scan.js')),
    task: serveFile(app, scriptFile(islands, 'task.js')),
  }
}
