import type { BankAccount } from '../../rails/bank-accounts.ts'

const holder = 'Cambio Sandbox Ltd'
const bank = 'Sandbox Bank'

/**
 * The accounts that the sandbox's bank keeps for the exchange where the operator names none. They hold their check digits and belong
 * to nobody, so money that is sent there by mistake comes back.
 */
export const sandboxAccounts: readonly BankAccount[] = [
  { category: 'SEPA', currency: 'EUR', holder, account: 'DE87900000000000000001', bic: 'SBBKDEF0XXX', bank },
  { category: 'SWIFT', currency: 'any', holder, account: 'DE60900000000000000002', bic: 'SBBKDEF0XXX', bank },
  { category: 'FASTERPAYMENTS', currency: 'GBP', holder, account: '00000100000001', bic: '', bank },
  { category: 'PIX', currency: 'BRL', holder, account: '58d3d374-e90a-47f9-b2d8-f42fa35aec4c', bic: '', bank },
  { category: 'SPEI', currency: 'MXN', holder, account: '000180000000000014', bic: '', bank },
]
