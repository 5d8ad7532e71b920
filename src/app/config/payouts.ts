import { setting } from '../../platform/lib/setting.ts'

/** Reads a whole number of euro as cents; `off` is no limit. */
function euroLimit(text: string): bigint | undefined {
  if (text.toLowerCase() === 'off') return undefined
  if (!/^\d{1,12}$/.test(text)) throw new RangeError(`"${text}" is neither whole euros nor off`)
  return BigInt(text) * 100n
}

/** Payouts that staff must approve. */
export const payoutSettings = {
  approvalAboveEurCents: setting(
    'PAYOUT_APPROVAL_EUR',
    '100000',
    euroLimit,
    'A payout or refund worth more, in whole euros, waits for the approval of two different operators; off for no limit.',
  ),
}
