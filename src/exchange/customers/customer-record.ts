import { formatAmount } from '../../platform/money/amount.ts'
import type { CustomerProfile } from './profile.ts'

/** A customer in the API and in webhooks. */
export type CustomerRecord = ReturnType<typeof customerRecord>

/** Never contains the reasons of a status. */
export const customerRecord = ({ id, status, risk, kyc, limits, updatedAt }: CustomerProfile) => ({
  id: String(id),
  status,
  risk_level: risk.level,
  kyc: {
    level: kyc.level,
    provider: kyc.provider,
    verified_at: kyc.verifiedAt?.toISOString() ?? null,
    expires_at: kyc.expiresAt?.toISOString() ?? null,
    missing_fields: kyc.missingFields,
  },
  limits: limits.map(({ period, max, used }) => ({
    period: periodNames[period] ?? period,
    currency: 'EUR',
    max: formatAmount(max, euro),
    used: formatAmount(used, euro),
  })),
  updated_at: updatedAt.toISOString(),
})

/** Periods that partners know by a name; others are ISO 8601 durations. */
const periodNames: Readonly<Record<string, string>> = { P1D: 'day', P30D: 'month' }

const euro = { decimals: 2 }
