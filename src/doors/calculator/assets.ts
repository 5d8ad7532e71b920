import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../platform/lib/root.ts'
import { icon, scriptFile, serveFile, type Sheet, sheetOf, styleSheet } from '../ui/serve-file.ts'

/** The calculator's style sheet, and the paths of its other files. */
export type Assets = { sheet: Sheet; icon: string; widget: string }

/** Compiled next to this file. */
const islands = fileURLToPath(new URL('islands', import.meta.url))

/**
 * Serves the icon and the scripts, and returns their paths. `/calculator/embed.js`, which partners' pages load, keeps its name
 * forever and is revalidated every hour.
 */
export function serveAssets(app: FastifyInstance): Assets {
  const own = readFileSync(join(projectRoot, 'src/doors/calculator/calculator.css'), 'utf8')
  const embed = scriptFile(islands, 'embed.js').text
  app.get('/calculator/embed.js', (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({
        'cache-control': 'public, max-age=3600',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      })
      .send(embed),
  )
  return {
    sheet: sheetOf(styleSheet(own)),
    icon: serveFile(app, icon()),
    widget: serveFile(app, scriptFile(islands, 'widget.js')),
  }
}
