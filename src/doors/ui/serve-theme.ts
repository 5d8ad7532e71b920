import { createHash } from 'node:crypto'

import type { FastifyInstance } from 'fastify'

import { logoOf, type Theme } from '../../exchange/partners/theme.ts'
import { type Sheet, sheetOf } from './serve-file.ts'
import { themeSheet } from './theme.ts'

/** What a partner's theme makes of pages: the style sheet that they bring, and the path of the logo. Undefined is ours. */
export type ShownTheme = { sheet: Sheet | undefined; logo: string | undefined }

const longCache = 'public, max-age=31536000, immutable'

/** Finds the theme of an account. */
export type FindTheme = (partnerId: string) => Promise<Theme | undefined>

/** Serves the logos of accounts, each under a hash of its bytes. */
export function servePartnerLogos(app: FastifyInstance, findTheme: FindTheme): void {
  app.get<{ Params: { partner: string; hash: string } }>(
    '/assets/logo/:partner(^[0-9]{1,19}$)/:hash(^[\\w-]{10}$)',
    async ({ params }, reply) => {
      const logo = logoOf((await findTheme(params.partner)) ?? {})
      if (!logo || hashOf(logo.bytes) !== params.hash) return reply.code(404).send()
      return reply
        .headers({ 'cache-control': longCache, 'x-content-type-options': 'nosniff' })
        .type(logo.type)
        .send(logo.bytes)
    },
  )
}

/**
 * An account's theme on pages that else bring `ours`: its few rules come last in the same sheet, so that the paint waits for no
 * file.
 */
export function shownTheme(partnerId: bigint, theme: Theme, ours: Sheet): ShownTheme {
  const rules = themeSheet(theme)
  const logo = logoOf(theme)
  return {
    sheet: rules === '' ? undefined : sheetOf(`${ours.text}\n${rules}`),
    logo: logo && `/assets/logo/${partnerId}/${hashOf(logo.bytes)}`,
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url').slice(0, 10)
