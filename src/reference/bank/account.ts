import type { Category } from '../catalog/payment-category.ts'
import { isClabe } from './clabe.ts'
import { belongTogether, checkIban, compact, looksLikeIban, reaches, readBic } from './iban.ts'
import { checkPixKey } from './pix-key.ts'

/**
 * How an account is named in a way of paying: an IBAN of SEPA, a sort code and account number, an IBAN or a foreign
 * bank's number with its BIC, a Pix key, a CLABE.
 */
export type AccountForm = 'iban' | 'uk' | 'swift' | 'pix' | 'clabe'

/** An account as someone typed it. `bic` may be empty where the form does without. */
export type AccountText = { account: string; bic: string }

/**
 * An account in the one spelling that we store and compare, without spaces; its BIC and its IBAN, empty where there is
 * none. Or which field is wrong, and one plain sentence on how.
 */
export type AccountCheck =
  | { ok: true; canonical: string; bic: string; iban: string }
  | { ok: false; field: 'account' | 'bic'; reason: string }

const forms: Partial<Record<Category, AccountForm>> = {
  SEPA: 'iban',
  FASTERPAYMENTS: 'uk',
  SWIFT: 'swift',
  PIX: 'pix',
  SPEI: 'clabe',
}

/** How accounts are named in a category; undefined where no money goes to or from an account that anyone types. */
export const accountFormOf = (category: Category): AccountForm | undefined => forms[category]

/** Longer than any account with any number of spaces in it that a person would type. */
const maxLength = 140

/** What a form's rule finds: the account and its IBAN, or a sentence. */
type AccountName = { canonical: string; iban: string } | string

const rules: Record<AccountForm, (text: string, bic: string) => AccountName> = { iban, uk, swift, pix, clabe }

/**
 * Tells whether money can be sent to an account, check digits included, and gives its canonical spelling. Whether the
 * account exists only its bank knows. UK numbers are checked in form only: the banks' modulus rules are a licensed table that
 * changes several times a year. Never throws, whatever the texts.
 */
export function checkAccount(form: AccountForm, { account, bic: bicText }: AccountText): AccountCheck {
  if (account.trim() === '') return refuse('account', 'The account is empty.')
  if (account.length > maxLength) return refuse('account', 'The account is too long.')

  const bic = bicOf(bicText) ?? ''
  const named = rules[form](account, bic)
  if (typeof named === 'string') return refuse('account', named)

  const fault = bicFault(bicText)
  if (fault !== undefined) return refuse('bic', fault)
  if (form === 'swift' && bic === '' && named.iban === '')
    return refuse('bic', 'An account without an IBAN needs the BIC of its bank.')
  if (bic !== '' && named.iban !== '' && !belongTogether(named.iban, bic))
    return refuse('bic', 'The BIC is of a bank in another country than the IBAN.')
  return { ok: true, ...named, bic }
}

/** The BIC in one spelling, `''` when there is none; undefined when it is not one. */
function bicOf(text: string): string | undefined {
  if (text.trim() === '') return ''
  return text.length > maxLength ? undefined : readBic(text)
}

/** The error of a BIC by itself, whatever its account, in one sentence; undefined if it is valid. */
export function bicFault(text: string): string | undefined {
  const bic = bicOf(text)
  if (bic === undefined) return 'A BIC has 8 or 11 letters and digits: check every character.'
  return bic === '' || reaches('SWIFT', bic.slice(4, 6)) ? undefined : 'We do not send money to banks in this country.'
}

/**
 * Writes a canonical account as people read and copy it: an IBAN in groups of four, a sort code as `20-00-00` before its
 * account number. Other accounts are written as they are.
 */
export function printAccount(form: AccountForm, canonical: string): string {
  if (form === 'uk') return canonical.replace(/^(\d\d)(\d\d)(\d\d)(\d{8})$/, '$1-$2-$3 $4')
  if (form === 'iban' || (form === 'swift' && checkIban(canonical).ok)) return canonical.replace(/(.{4})(?=.)/g, '$1 ')
  return canonical
}

const refuse = (field: 'account' | 'bic', reason: string): AccountCheck => ({ ok: false, field, reason })

function iban(text: string): AccountName {
  const check = checkIban(text)
  if (!check.ok) return check.reason
  if (!reaches('SEPA', check.iban.slice(0, 2))) return 'SEPA does not reach accounts in this country.'
  return { canonical: check.iban, iban: check.iban }
}

/** Six digits of the sort code and eight of the account; a British IBAN has both in it, and is the same account. */
function uk(text: string): AccountName {
  const bare = compact(text) ?? ''
  if (looksLikeIban(bare)) {
    const check = checkIban(bare)
    if (!check.ok) return check.reason
    if (!bare.startsWith('GB')) return 'Faster Payments reach accounts in the United Kingdom only.'
    return { canonical: bare.slice(8), iban: bare }
  }
  if (!/^\d{14}$/.test(bare))
    return 'A sort code has six digits and an account number eight: put zeros before a shorter one.'
  if (/^\d{6}0{8}$/.test(bare)) return 'An account number is not all zeros.'
  return { canonical: bare, iban: '' }
}

function swift(text: string): AccountName {
  const bare = compact(text) ?? ''
  if (looksLikeIban(bare)) {
    const check = checkIban(bare)
    if (!check.ok) return check.reason
    if (!reaches('SWIFT', bare.slice(0, 2))) return 'We do not send money to banks in this country.'
    return { canonical: bare, iban: bare }
  }
  if (!/^[A-Z0-9]{4,34}$/.test(bare) || !/\d/.test(bare))
    return 'An account is an IBAN, or a number of 4 to 34 letters and digits.'
  return { canonical: bare, iban: '' }
}

function pix(text: string): AccountName {
  const check = checkPixKey(text)
  return check.ok ? { canonical: check.key, iban: '' } : check.reason
}

function clabe(text: string): AccountName {
  const bare = compact(text) ?? ''
  if (!/^\d{18}$/.test(bare)) return 'A CLABE has 18 digits.'
  return isClabe(bare) ? { canonical: bare, iban: '' } : 'This is not a valid CLABE: check every digit.'
}
