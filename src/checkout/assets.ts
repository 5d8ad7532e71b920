import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../lib/root.ts'

/** A file that pages refer to. Its path has a hash of its contents, so that browsers may keep it for ever. */
type Asset = { path: string; type: string; body: Buffer }

/** The paths of the checkout's own files. */
export type AssetPaths = { style: string; icon: string; form: string; live: string }

const styles = join(projectRoot, 'src/checkout/ui')
/** Compiled beside this file. */
const islands = fileURLToPath(new URL('islands', import.meta.url))

/** Serves the style sheet, the icon and the islands, and gives their paths. They are read once. */
export function serveAssets(app: FastifyInstance): AssetPaths {
  const serve = (folder: string, name: string, type: string): string => {
    const { path, body } = readAsset(folder, name, type)
    app.get(path, (_request, reply) =>
      reply
        .header('content-type', type)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('x-content-type-options', 'nosniff')
        .send(body),
    )
    return path
  }
  return {
    style: serve(styles, 'checkout.css', 'text/css; charset=utf-8'),
    icon: serve(styles, 'icon.svg', 'image/svg+xml'),
    form: serve(islands, 'form.js', 'text/javascript; charset=utf-8'),
    live: serve(islands, 'live.js', 'text/javascript; charset=utf-8'),
  }
}

function readAsset(folder: string, name: string, type: string): Asset {
  const text = readFileSync(join(folder, name), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '')
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 10)
  const [stem, ending] = name.split('.')
  return { path: `/assets/${stem}-${hash}.${ending}`, type, body: Buffer.from(text) }
}
