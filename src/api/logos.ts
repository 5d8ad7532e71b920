import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { FastifyInstance } from 'fastify'

import { Refusal } from '../lib/refusal.ts'
import { projectRoot } from '../lib/root.ts'

const folder = join(projectRoot, 'assets', 'logos')

/** A drawing brings its own style, and may do nothing else. */
const policy = "default-src 'none'; style-src 'unsafe-inline'"

/** `GET /logos/{name}.svg`: the drawings that currency records point to, read once. A drawing may be cached for a day. */
export async function logos(app: FastifyInstance): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.svg'))
  const files = new Map(await Promise.all(names.map(async (name) => [name, await read(name)] as const)))

  app.get('/logos/:name', (request, reply) => {
    const file = files.get((request.params as { name: string }).name)
    if (!file) throw new Refusal('NOT_FOUND', 'There is no such drawing.')

    reply.headers({
      etag: file.etag,
      'cache-control': 'public, max-age=86400',
      'access-control-allow-origin': '*',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    })
    if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
    return reply.type('image/svg+xml; charset=utf-8').send(file.text)
  })
}

async function read(name: string): Promise<{ text: string; etag: string }> {
  const text = await readFile(join(folder, name), 'utf8')
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
}
