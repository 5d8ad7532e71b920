import { acceptable, lacksTerms } from '../accept-terms.ts'
import type { OrderStep } from '../step.ts'

type TermsDetails = {
  /** The versions of the terms and the privacy notice that the customer was shown and accepts. */
  accepts?: string
}

/** The current terms and privacy notice. Accepting outdated versions changes nothing. */
export const terms = {
  name: 'terms',
  details: ['accepts'],
  changeable: 'until_complete',
  isMissing: lacksTerms,
  apply: ({ ctx, transaction: { personal } }, { accepts }) =>
    accepts === acceptable(ctx) ? { personal: { ...personal, accepted: accepts } } : {},
} as const satisfies OrderStep<TermsDetails>
