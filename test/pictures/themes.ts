import assert from 'node:assert/strict'

import type { FastifyInstance } from 'fastify'

import type { Assets } from '../../src/doors/checkout/assets.ts'
import { renderOrder } from '../../src/doors/checkout/order-page.tsx'
import type { Theme } from '../../src/exchange/partners/theme.ts'
import { servePartnerLogos, shownTheme } from '../../src/doors/ui/serve-theme.ts'
import { samplePages, sampleProps } from '../support/checkout-pages.ts'

/** A PNG of four by four red pixels. */
const redSquare = 'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR42mP4z8AARwzEcQCukw/xOF6MEQAAAABJRU5ErkJggg=='

/** What partners may want that is hard to read: accents at the ends of the scale, with square and with round corners. */
const themes: Readonly<Record<string, Theme>> = {
  yellow: { name: 'Sun Wallet', accent: '#ffe600', corner: 0 },
  black: { name: 'Night Wallet', accent: '#0a0a0a', corner: 24 },
  white: { name: 'Snow Wallet', accent: '#fdfdfd', corner: 12 },
  red: { name: 'Poppy Wallet', accent: '#ff0000', corner: 3, logo: `data:image/png;base64,${redSquare}` },
}

/** Pages on which every role of color is seen. */
const shown = ['email-wrong', 'code-terms', 'method', 'transfer-sepa', 'sending'] as const

/** Themed pages of the checkout, whole paths, in English. */
export const themedPaths: readonly string[] = Object.keys(themes).flatMap((theme) =>
  shown.map((name) => `/themed/${theme}/${name}`),
)

/** Serves the themed pages, each theme as its own account. */
export function serveThemedPages(app: FastifyInstance, assets: Assets): void {
  const accounts = Object.entries(themes).map(([name, theme], at) => ({ id: BigInt(at + 1), name, theme }))
  servePartnerLogos(app, (id) => Promise.resolve(accounts.find((one) => String(one.id) === id)?.theme))
  for (const { id, name, theme } of accounts)
    for (const page of shown)
      app.get(`/themed/${name}/${page}`, async (_request, reply) => {
        const props = await sampleProps(samplePages[page] ?? assert.fail(`there is no sample ${page}`))
        const look = { ...shownTheme(id, theme, assets.sheet), name: theme.name }
        return reply.type('text/html').send(renderOrder({ ...props, look }, assets))
      })
}
