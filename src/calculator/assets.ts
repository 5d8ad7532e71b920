import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../lib/root.ts'
import { icon, scriptFile, serveFile, styleSheet } from '../ui/serve-file.ts'

/** The paths of the calculator's own files. */
export type AssetPaths = { style: string; icon: string; widget: string }

/** Compiled beside this file. */
const islands = fileURLToPath(new URL('islands', import.meta.url))

/**
 * Serves the style sheet, the icon and the scripts, and gives their paths. `/calculator/embed.js`, which partners' pages load,
 * keeps its name for ever, and is asked for again each hour.
 */
export function serveAssets(app: FastifyInstance): AssetPaths {
  const own = readFileSync(join(projectRoot, 'src/calculator/calculator.css'), 'utf8')
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
    style: serveFile(app, styleSheet('calculator.css', own)),
    icon: serveFile(app, icon()),
    widget: serveFile(app, scriptFile(islands, 'widget.js')),
  }
}
