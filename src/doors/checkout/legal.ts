import type { Ctx } from '../../exchange/context.ts'
import type { Language } from '../../platform/language/language.ts'
import { acceptable } from '../../exchange/orders/accept-terms.ts'

/** The terms and privacy notice that a customer accepts by continuing, and the versions that were shown. */
export type Legal = { termsUrl: string; privacyUrl: string; accepts: string }

/** The current ones. Ours are in the reader's language; an operator's own are at the configured URLs. */
export const legalFor = (ctx: Pick<Ctx, 'config'>, { tag }: Language): Legal => ({
  termsUrl: ctx.config.legal.termsUrl ?? `/${tag}/terms`,
  privacyUrl: ctx.config.legal.privacyUrl ?? `/${tag}/privacy`,
  accepts: acceptable(ctx),
})
