import { customerRecord } from '../../exchange/customers/customer-record.ts'
import { explainCustomer, type ExplainedCustomer } from '../../exchange/customers/explain-customer.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Answer, Invocation } from './command.ts'
import { idOf } from './read-id.ts'

/** Shows a customer's profile, with every fact and rule behind it. */
export const show = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return input.exchange(async (ctx) => {
    const explained = await explainCustomer(ctx, id)
    if (!explained) throw new Refusal('NOT_FOUND', 'There is no such customer.')
    return { json: shown(explained) }
  })
}

const shown = ({ profile, decisions }: ExplainedCustomer) => {
  const { facts, imports } = profile
  return {
    customer: customerRecord(profile),
    partner_id: String(profile.partnerId),
    email: profile.email,
    email_proven: profile.isProven,
    rules: profile.risk.because,
    facts: {
      country: facts.country,
      kyc_status: facts.kycStatus,
      kyc_level: facts.kycLevel,
      kyc_expired: facts.kycExpired,
      screening: [...facts.screening],
      transactions_in_day: String(facts.transactionsInDay),
      transactions_in_month: String(facts.transactionsInMonth),
      eur_in_month: String(facts.eurInMonth),
      chargebacks: String(facts.chargebacks),
      customers_at_address: String(facts.customersAtAddress),
    },
    imports: imports.map((one) => ({
      partner_id: String(one.partnerId),
      provider: one.provider,
      applicant_id: one.applicantId,
      status: one.status,
      level: one.level,
      reviewed_at: one.reviewedAt?.toISOString() ?? null,
      expires_at: one.expiresAt?.toISOString() ?? null,
      screening: one.screening,
      reasons: one.reasons,
      changed_at: one.changedAt.toISOString(),
    })),
    blocks: decisions.map(({ at, actor: by, isBlocked, reason }) => ({
      at: at.toISOString(),
      actor: by,
      blocked: isBlocked,
      reason: reason ?? null,
    })),
  }
}
