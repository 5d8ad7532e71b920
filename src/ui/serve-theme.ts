import { createHash } from 'node:crypto'

import type { FastifyInstance } from 'fastify'

import { logoOf, type Theme } from '../partners/theme.ts'
import { themeSheet } from './theme.ts'

/** What of a partner's theme pages refer to; undefined is ours. */
export type ThemePaths = { style: string | undefined; logo: string | undefined }

const longCache = 'public, max-age=31536000, immutable'

/** Finds the theme of an account. */
export type FindTheme = (partnerId: string) => Promise<Theme | undefined>

/**
 * Serves themes: a sheet for each accent and corner, which is worked out from its path alone, and the logos of accounts, each
 * under a hash of its bytes.
 */
export function serveThemes(app: FastifyInstance, findTheme: FindTheme): void {
  app.get<{ Params: { accent: string; corner: string } }>(
    '/assets/theme/:accent(^[0-9a-f]{6}|none$)/:corner(^[0-9]{1,2}|none$).css',
    ({ params }, reply) => {
      const accent = params.accent === 'none' ? {} : { accent: `#${params.accent}` }
      const corner = params.corner === 'none' ? {} : { corner: Number.parseInt(params.corner, 10) }
      return reply
        .headers({ 'cache-control': longCache, 'x-content-type-options': 'nosniff' })
        .type('text/css; charset=utf-8')
        .send(themeSheet({ ...accent, ...corner }))
    },
  )
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

/** The paths of an account's theme. */
export function themePaths(partnerId: bigint, theme: Theme): ThemePaths {
  const { accent, corner } = theme
  const logo = logoOf(theme)
  const isOurs = accent === undefined && corner === undefined
  return {
    style: isOurs ? undefined : `/assets/theme/${accent?.slice(1).toLowerCase() ?? 'none'}/${corner ?? 'none'}.css`,
    logo: logo && `/assets/logo/${partnerId}/${hashOf(logo.bytes)}`,
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64url').slice(0, 10)
