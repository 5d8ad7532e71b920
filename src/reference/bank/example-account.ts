import assert from 'node:assert/strict'

import { composeIBAN } from 'ibantools'

import type { AccountForm, AccountText } from './account.ts'
import { clabeCheckDigit } from './clabe.ts'

const givenNames = ['Alex', 'Charlie', 'Dana', 'Eli', 'Jamie', 'Kim', 'Robin', 'Sam']

/**
 * A well-formed account for a test customer, check digits included, derived from 32 random-looking bytes. It cannot belong to
 * anyone: a German bank code that begins with 9 (they begin with 1 to 8), a sort code
 * that begins with 00, a CLABE of bank 000, a random Pix key, and test BICs, whose eighth character is 0.
 */
export function exampleAccount(form: AccountForm, seed: Uint8Array): AccountText & { holder: string } {
  assert(seed.length === 32, 'an example account is made of 32 bytes')
  const holder = `${givenNames[(seed[31] ?? 0) % givenNames.length] ?? ''} Example`
  return { ...makers[form](seed.subarray(0, 16)), holder }
}

const makers: Record<AccountForm, (seed: Uint8Array) => AccountText> = {
  iban: (seed) => ({ account: german(`9${digits(seed, 17)}`), bic: 'SBBKDEF0XXX' }),
  uk: (seed) => ({ account: `00${digits(seed, 11)}1`, bic: '' }),
  swift: (seed) => ({ account: `9${digits(seed, 11)}`, bic: 'SBBKUS30XXX' }),
  pix: (seed) => ({ account: randomKey(seed), bic: '' }),
  clabe: (seed) => {
    const first17 = `000${digits(seed, 13)}1`
    return { account: first17 + clabeCheckDigit(first17), bic: '' }
  },
}

/** Eight digits of the bank and ten of the account, with the country and its check digits before them. */
function german(bban: string): string {
  const iban = composeIBAN({ countryCode: 'DE', bban })
  assert(iban, 'a German account has 18 digits')
  return iban
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const digits = (seed: Uint8Array, count: number): string =>
  (BigInt(`0x${hex(seed)}`) % 10n ** BigInt(count)).toString().padStart(count, '0')

/** A UUID of version 4, as the directory gives them. */
const randomKey = (seed: Uint8Array): string =>
  hex(seed).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5')
