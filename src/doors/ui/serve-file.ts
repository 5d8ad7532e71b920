import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../platform/lib/root.ts'
import { readsGzip } from './gzip.ts'

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** A file that pages refer to: its name without a folder, and its content. */
export type PageFile = { name: `${string}.${keyof typeof types}`; text: string }

/** Reads a compiled script as browsers get it. */
export const scriptFile = (folder: string, name: `${string}.js`): PageFile => ({
  name,
  text: readFileSync(join(folder, name), 'utf8').replace(/^(export {};?|\/\/# sourceMappingURL=.*)$/gm, ''),
})

/**
 * Joins several compiled scripts that import nothing, each in its own scope: on a slow connection each further file costs a
 * page another round trip.
 */
export const scriptOf = (name: `${string}.js`, folder: string, parts: readonly `${string}.js`[]): PageFile => ({
  name,
  text: parts.map((part) => `{\n${scriptFile(folder, part).text}}`).join('\n'),
})

const styles = join(projectRoot, 'src/doors/ui/styles')
const readStyle = (name: string): string => readFileSync(join(styles, name), 'utf8')

/** The style sheet of some pages: what all pages share, and what they add. One text, so that nothing waits for a second. */
export const styleSheet = (...own: string[]): string =>
  [readStyle('color.css'), readStyle('base.css'), readStyle('form.css'), ...own].join('\n')

/** An inline style sheet, and the source that allows it in a content security policy (CSP 3, hash sources). */
export type Sheet = { text: string; source: `'sha256-${string}'` }

/** Puts a style sheet into pages: a page that brings its own is painted a round trip earlier, which on a slow line is felt. */
export const sheetOf = (text: string): Sheet => ({
  text,
  source: `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
})

export const icon = (): PageFile => ({ name: 'icon.svg', text: readStyle('icon.svg') })

/**
 * Serves a file and gives its path, which has a hash of the contents, so that browsers may keep it for ever. It is compressed
 * once, for browsers that read that: on a slow line the styles are what the first paint waits for. The same file asked for
 * again is served once.
 */
export function serveFile(app: FastifyInstance, { name, text }: PageFile): string {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 10)
  const [stem = '', ending = ''] = name.split('.')
  const path = `/assets/${stem}-${hash}.${ending}`
  if (app.hasRoute({ method: 'GET', url: path })) return path
  const body = Buffer.from(text)
  const packed = gzipSync(body, { level: 9 })
  const headers = {
    'content-type': types[ending as keyof typeof types],
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  }
  app.get(path, (request, reply) => {
    void reply.headers(headers)
    if (!readsGzip(request)) return reply.send(body)
    return reply.header('content-encoding', 'gzip').send(packed)
  })
  return path
}
