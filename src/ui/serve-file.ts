import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../lib/root.ts'

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** A file that pages refer to: its name without a folder, and what stands in it. */
export type PageFile = { name: `${string}.${keyof typeof types}`; text: string }

/** Reads a compiled script as browsers get it. */
export const scriptFile = (folder: string, name: `${string}.js`): PageFile => ({
  name,
  text: readFileSync(join(folder, name), 'utf8').replace(/^(export {};?|\/\/# sourceMappingURL=.*)$/gm, ''),
})

const styles = join(projectRoot, 'src/ui/styles')
const readStyle = (name: string): string => readFileSync(join(styles, name), 'utf8')

/** The style sheet of some pages: what all pages share, and what they add. One file, so that nothing waits for a second. */
export const styleSheet = (name: `${string}.css`, ...own: string[]): PageFile => ({
  name,
  text: [readStyle('colour.css'), readStyle('base.css'), readStyle('form.css'), ...own].join('\n'),
})

/** The icon of every page. */
export const icon = (): PageFile => ({ name: 'icon.svg', text: readStyle('icon.svg') })

/**
 * Serves a file and gives its path, which has a hash of the contents, so that browsers may keep it for ever. The same file
 * asked for again is served once.
 */
export function serveFile(app: FastifyInstance, { name, text }: PageFile): string {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 10)
  const [stem = '', ending = ''] = name.split('.')
  const path = `/assets/${stem}-${hash}.${ending}`
  if (app.hasRoute({ method: 'GET', url: path })) return path
  const body = Buffer.from(text)
  app.get(path, (_request, reply) =>
    reply
      .header('content-type', types[ending as keyof typeof types])
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('x-content-type-options', 'nosniff')
      .send(body),
  )
  return path
}
