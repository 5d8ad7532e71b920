import { findCurrency } from '../catalog/currency.ts'
import type { Category } from '../catalog/payment-category.ts'

/** An account of ours where customers pay in. `account` is canonical (`printAccount` writes it for people); no BIC is empty. */
export type OurAccount = { holder: string; account: string; bic: string; bank: string }

/** An account, and the one currency that it is for; null is any money of a country. */
type HouseAccount = OurAccount & { currency: string | null }

const holder = 'Cambio Sandbox Ltd'
const bank = 'Sandbox Bank'

/**
 * The sandbox operator's accounts. They hold their check digits and belong to nobody, as `exampleAccount` tells, so money that
 * is sent there by mistake comes back. An operator's own come with a real bank's rail.
 */
const held: Partial<Record<Category, HouseAccount>> = {
  SEPA: { currency: 'EUR', holder, account: 'DE87900000000000000001', bic: 'SBBKDEF0XXX', bank },
  SWIFT: { currency: null, holder, account: 'DE60900000000000000002', bic: 'SBBKDEF0XXX', bank },
  FASTERPAYMENTS: { currency: 'GBP', holder, account: '00000100000001', bic: '', bank },
  PIX: { currency: 'BRL', holder, account: '58d3d374-e90a-47f9-b2d8-f42fa35aec4c', bic: '', bank },
  SPEI: { currency: 'MXN', holder, account: '000180000000000014', bic: '', bank },
}

/** Where a customer pays a currency (its ticker) in by bank transfer; undefined where we have no account for it. */
export function ourAccount(category: Category, currency: string): OurAccount | undefined {
  const found = held[category]
  if (!found) return undefined
  const fits = found.currency === null ? findCurrency(currency)?.kind === 'FIAT' : found.currency === currency
  return fits ? { holder: found.holder, account: found.account, bic: found.bic, bank: found.bank } : undefined
}
