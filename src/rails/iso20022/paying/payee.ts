import { seal, unseal } from '../../../platform/privacy/seal.ts'
import type { Bank } from '../bank.ts'

const placeOf = (rail: string, key: string): string => `iso20022_payments:${rail}:${key}:names`

/** Keeps the names that a bank has for the account of a payment; null where it gives none. */
export const sealNames = (
  { name, keys }: Pick<Bank, 'name' | 'keys'>,
  key: string,
  names: readonly string[],
): Buffer | null => (names.length === 0 ? null : seal(keys.sealing, names.join('; ').slice(0, 300), placeOf(name, key)))

/** Reads them; empty where there are none. */
export const openNames = ({ name, keys }: Pick<Bank, 'name' | 'keys'>, key: string, sealed: Buffer | null): string =>
  sealed ? unseal(keys.sealing, sealed, placeOf(name, key)).toString('utf8') : ''
