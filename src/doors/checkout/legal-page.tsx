import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { languageOf } from '../../platform/language/language.ts'
import type { Assets } from './assets.ts'
import { legalFor } from './legal.ts'
import { renderLayout } from './layout.tsx'
import type { Notices } from './notices.ts'

/** What our own pages of terms are made of. */
type Door = { options: { notices: Notices }; assets: Assets; headers: Record<string, string> }

const texts = ['terms', 'privacy'] as const

/**
 * `/terms` and `/privacy`, and the same in a language: plain pages that say which version they are, where the
 * operator has named none.
 */
export function serveLegalPages(
  app: FastifyInstance,
  ctx: Pick<Ctx, 'config'>,
  { options: { notices }, assets, headers }: Door,
): void {
  const { termsUrl, privacyUrl, termsVersion, privacyVersion } = ctx.config.legal
  const open = { terms: termsUrl === undefined, privacy: privacyUrl === undefined }
  const versions = { terms: termsVersion, privacy: privacyVersion }
  for (const text of texts.filter((one) => open[one])) {
    for (const path of [`/${text}`, `/:locale(^[a-z]{2}$)/${text}`]) {
      app.get<{ Params: { locale?: string } }>(path, ({ params, headers: asked }, reply) => {
        const language = languageOf(params.locale, asked['accept-language'])
        const title = language.say(`legal.${text}.title`)
        const body = (
          <main>
            <h1>{title}</h1>
            <p class="lead">{language.say(`legal.${text}.lead`)}</p>
            <p class="hint">{language.say('legal.version', { version: versions[text] })}</p>
          </main>
        )
        const html = renderLayout({
          title,
          language,
          assets,
          notices,
          legal: legalFor(ctx, language),
          children: [body],
        })
        return reply.headers(headers).type('text/html; charset=utf-8').send(html)
      })
    }
  }
}
