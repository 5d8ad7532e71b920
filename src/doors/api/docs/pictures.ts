import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { FastifyInstance } from 'fastify'

import { projectRoot } from '../../../platform/lib/root.ts'

const folder = join(projectRoot, 'docs/pictures')

/** Serves the pictures that guides show, `/docs/pictures/{name}.webp`. They change with a release and may be kept for an hour. */
export function servePictures(app: FastifyInstance): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.webp')))
    app.get(`/docs/pictures/${name}`, async (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
        .type('image/webp')
        .send(await readFile(join(folder, name))),
    )
}
