import type { PolicyKind } from './kind.ts'
import { object } from './values.ts'

/** What becomes of a bank transfer whose payer is not the customer. */
export const payerOutcomes = ['accept', 'hold', 'return'] as const
export type PayerOutcome = (typeof payerOutcomes)[number]

/** What becomes of further payouts to an account that somebody else holds, as its bank has said of an earlier one. */
const payeeOutcomes = ['warn', 'hold'] as const
type PayeeOutcome = (typeof payeeOutcomes)[number]

/** `least_score`: from which likeness on, 0 to 1, two names are those of one person. Without `payee`, it is `warn`. */
export type PayersDocument = { mismatch: PayerOutcome; least_score: string; payee?: PayeeOutcome }
export type PayerRules = { mismatch: PayerOutcome; leastThousandths: number; payee: PayeeOutcome }

export const payers: PolicyKind<PayersDocument, PayerRules> = {
  schema: object(
    {
      mismatch: { enum: payerOutcomes },
      least_score: { type: 'string', pattern: '^(0(\\.\\d{1,3})?|1(\\.0{1,3})?)$' },
      payee: { enum: payeeOutcomes },
    },
    ['payee'],
  ),
  read: ({ mismatch, least_score: score, payee = 'warn' }) => {
    const [whole = '', fraction = ''] = score.split('.')
    return { mismatch, leastThousandths: Number.parseInt(whole + fraction.padEnd(3, '0'), 10), payee }
  },
  contradictions: ({ mismatch, least_score: score }) =>
    mismatch !== 'accept' && /^0(\.0*)?$/.test(score)
      ? [{ path: 'least_score', message: 'of 0 lets every payer pass: to do so, set mismatch to accept' }]
      : [],
  shipped: ({ holdsThirdPartyMoney: holds }) => ({
    mismatch: holds ? 'hold' : 'accept',
    least_score: '0.8',
    payee: holds ? 'hold' : 'warn',
  }),
}
