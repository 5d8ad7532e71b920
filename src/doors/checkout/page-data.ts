import type { Ctx } from '../../exchange/context.ts'
import { earlierResembling, savedDestinations } from '../../exchange/orders/earlier-addresses.ts'
import { findPartners } from '../../exchange/partners/known.ts'
import type { Refusal } from '../../platform/lib/refusal.ts'
import type { Language } from '../../platform/language/language.ts'
import type { Sheet } from '../ui/serve-file.ts'
import { shownTheme } from '../ui/serve-theme.ts'
import type { Look } from './layout.tsx'
import { legalFor } from './legal.ts'
import type { Fields } from './checkout-step.ts'
import type { CheckoutOptions } from './notices.ts'
import type { PageProps } from './page.ts'
import { aidsOf } from './pay-aids.ts'
import type { Visit } from './visit.ts'
import { otherWays } from './way-to-pay.ts'

/** What an order's page shows besides the order. `ours` is the style sheet of partners without a theme. */
export async function pageData(
  ctx: Ctx,
  { options, ours }: { options: CheckoutOptions; ours: Sheet },
  { view, step, customerId }: Visit,
  language: Language,
): Promise<Pick<PageProps, 'ways' | 'saved' | 'aids' | 'look' | 'legal' | 'notices'>> {
  const [ways, saved, drawn, look] = await Promise.all([
    step === 'method' ? otherWays(ctx, view) : [],
    step === 'payout_address' && customerId !== undefined ? savedDestinations(ctx, view.publicId) : [],
    aidsOf(ctx, view, step),
    lookOf(ctx, view.partnerId, ours),
  ])
  const aids = { ...drawn, button: options.payButton(view, language) }
  return { ways, saved, aids, look, legal: legalFor(ctx, language), notices: options.notices }
}

async function lookOf(ctx: Ctx, partnerId: bigint, ours: Sheet): Promise<Look> {
  const theme = (await findPartners(ctx, [partnerId])).get(partnerId)?.settings.theme ?? {}
  return { ...shownTheme(partnerId, theme, ours), name: theme.name }
}

/** The earlier address to compare with; only the page that asks for addresses, and only its customer, gets it. */
export async function resembledBy(ctx: Ctx, { view, step }: Visit, { problems }: Refusal, typed: Fields) {
  const isAsked = step === 'payout_address' && problems.some(({ code }) => code === 'RESEMBLES_EARLIER')
  return isAsked ? earlierResembling(ctx, view.publicId, (typed.payout_address ?? '').trim()) : undefined
}
