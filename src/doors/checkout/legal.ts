import type { Ctx } from '../../exchange/context.ts'
import type { Language } from '../../platform/language/language.ts'
import { acceptable } from '../../exchange/orders/accept-terms.ts'

/** The texts that a customer accepts by going on: their pages in one language, and the versions that a form names as shown. */
export type Legal = { termsUrl: string; privacyUrl: string; accepts: string }

/** Those that hold now, for a reader. Ours are in the reader's language; an operator's own are where the operator says. */
export const legalFor = (ctx: Pick<Ctx, 'config'>, { tag }: Language): Legal => ({
  termsUrl: ctx.config.legal.termsUrl ?? `/${tag}/terms`,
  privacyUrl: ctx.config.legal.privacyUrl ?? `/${tag}/privacy`,
  accepts: acceptable(ctx),
})
