import type { Category } from '../../reference/catalog/payment-category.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'

/** The status of a registered address. Only an active one is paid to. */
export type PayoutAddressStatus = 'pending_review' | 'active' | 'rejected' | 'disabled'

/** A bank that an account's own bank is reached through, as the partner wrote it; texts that were not given are empty. */
export type Intermediary = { bankName: string; bankAddress: string; bankCountry: string; bic: string }

/** The personal part of a registered address, sealed with its own data key. Absent texts are empty. */
export type PayoutAddressDetails = {
  /** An address of a chain or an account, in its canonical spelling. */
  address: string
  /** Its memo or tag, or the BIC of its bank. */
  extraId: string
  /** The account's holder. */
  holder: string
  label: string
  intermediary: Intermediary | null
}

/** A bank account or a wallet that a partner has registered to be paid to. `id` is random and what partners see. */
export type PayoutAddress = {
  id: bigint
  partnerId: bigint
  type: 'bank_account' | 'crypto_wallet'
  category: Category
  /** By its id (`USDT-TRX`); null is an account for any currency that its category pays. */
  asset: string | null
  status: PayoutAddressStatus
  needsApproval: boolean
  approvedAt: Date | null
  /** How long its cooling-off time is, as it was set when the address came. */
  coolingOffSeconds: number
  /** Business time. */
  activeFrom: Date
  events: number
  createdAt: Date
  updatedAt: Date
  dataKey: DataKey
  details: PayoutAddressDetails
}

/** Where the details of a registered address belong; sealed bytes open nowhere else. */
export const detailsPlace = (id: bigint): string => `payout_addresses:${id}`

/** What a partner sees of a registered address, in the wire's spelling: answers, lists and webhooks alike. */
export type PayoutAddressRecord = ReturnType<typeof payoutAddressRecord>

/** Writes the record of a registered address. No text of it is ever null. */
export function payoutAddressRecord(address: PayoutAddress) {
  const { id, type, category, asset, status, details, createdAt, activeFrom } = address
  const [currency = '', network = ''] = asset?.split('-') ?? []
  return {
    id: String(id),
    type,
    label: details.label,
    status,
    payment_category: category,
    currency,
    network,
    ...(type === 'bank_account'
      ? { account_number: masked(details.address) }
      : { address: details.address, extra_id: details.extraId }),
    created_at: createdAt.toISOString(),
    active_from: activeFrom.toISOString(),
  }
}

/** The first and last four characters of an account; of a short one only the last four, or the last two of a very short one. */
function masked(account: string): string {
  const [first, last] = account.length >= 12 ? [4, 4] : account.length >= 8 ? [0, 4] : [0, 2]
  return account.slice(0, first) + '*'.repeat(account.length - first - last) + account.slice(account.length - last)
}
