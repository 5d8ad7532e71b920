import type { Kind } from '../../exchange/policies/kinds.ts'

/** What operators read about each kind of policy. */
export const policyTitles: Readonly<Record<Kind, { title: string; decides: string }>> = {
  fees: {
    title: 'Fees',
    decides: 'What customers pay: service fees, fees of payment methods, spreads, and what payments cost us',
  },
  b2b: { title: 'B2B fees', decides: 'The same for institutions' },
  limits: { title: 'Limits', decides: 'How much a person may exchange, by level of verification' },
  risk: { title: 'Risk rules', decides: 'Which customers are of low, medium, high or prohibited risk' },
  countries: { title: 'Countries', decides: 'Where we serve nobody, and whose customers are watched' },
  validity: { title: 'Validity', decides: 'How long prices hold, and how long customers have to pay' },
  slippage: { title: 'Slippage', decides: 'How far a price may move before the customer is asked' },
  approvals: { title: 'Approvals', decides: 'What needs a second operator' },
  caps: { title: 'Caps', decides: 'Bounds that protect us and customers: codes, open price locks, jumps of prices' },
  screening: { title: 'Screening', decides: 'What a hit on a sanctions or watch list means' },
  payers: { title: 'Payers', decides: 'What becomes of bank transfers from somebody else than the customer' },
  ranges: { title: 'Ranges', decides: 'The least and the most of one exchange' },
  retention: { title: 'Retention', decides: 'How long events, webhook attempts and answers are kept' },
}
