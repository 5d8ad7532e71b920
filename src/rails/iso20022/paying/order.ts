import { createHmac } from 'node:crypto'

import { seal, unseal } from '../../../platform/privacy/seal.ts'
import { checkIban, reaches } from '../../../reference/bank/iban.ts'
import type { PayoutOrder, PlanBody, PlanDraft } from '../../rail.ts'
import type { Bank } from '../bank.ts'
import type { BankCategory } from '../settings.ts'

/** One payment as it goes into a file. Empty texts are absent. */
export type PaymentOrder = {
  key: string
  asset: string
  amount: bigint
  category: BankCategory
  account: string
  bic: string
  intermediary: string
  holder: string
}

/**
 * Turns a payout into a payment with its end-to-end id, which is the same each time: two exchanges with accounts at one bank never
 * give the same.
 */
export function prepareOrder(bank: Bank, { payoutId, asset, amount, destination }: PayoutOrder): PlanDraft {
  const mark = createHmac('sha256', bank.keys.hashes)
    .update(`payment\n${bank.name}\n${payoutId}`)
    .digest('hex')
    .slice(0, 8)
  const { address, extraId, holder, intermediary = '' } = destination
  return {
    key: `CB-${payoutId}-${mark.toUpperCase()}`,
    payoutId,
    body: {
      asset,
      amount: String(amount),
      category: categoryOf(bank, asset, { address, intermediary }),
      account: address,
      bic: extraId,
      intermediary,
      holder,
    },
  }
}

/** Whether an end-to-end id has the form of ours. */
export const isPaymentKey = (reference: string): boolean => /^CB-\d+-[0-9A-F]{8}$/.test(reference)

/** How an account is best reached by this bank: by SEPA wherever that reaches, for it costs the least. */
function categoryOf(
  { serves }: Bank,
  asset: string,
  { address, intermediary }: { address: string; intermediary: string },
): BankCategory {
  if (serves.includes('FASTERPAYMENTS') && asset === 'GBP-GBP' && /^\d{14}$/.test(address)) return 'FASTERPAYMENTS'
  const iban = checkIban(address)
  const isSepa = asset === 'EUR-EUR' && iban.ok && reaches('SEPA', iban.iban.slice(0, 2)) && intermediary === ''
  return isSepa && serves.includes('SEPA') ? 'SEPA' : 'SWIFT'
}

/** Encrypts an order: it names a person. */
export const sealOrder = ({ name, keys }: Bank, key: string, body: PlanBody): Buffer =>
  seal(keys.sealing, JSON.stringify(body), placeOf(name, key))

/** Reads an order back. */
export function openOrder({ name, keys }: Bank, { key, body }: { key: string; body: Buffer }): PaymentOrder {
  const read = JSON.parse(unseal(keys.sealing, body, placeOf(name, key)).toString('utf8')) as PlanBody
  const { asset = '', amount = '0', category = '', account = '', bic = '', intermediary = '', holder = '' } = read
  return { key, asset, amount: BigInt(amount), category: category as BankCategory, account, bic, intermediary, holder }
}

const placeOf = (rail: string, key: string): string => `iso20022_payments:${rail}:${key}`
