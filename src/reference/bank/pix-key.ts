/**
 * A Pix key as the Banco Central's directory spells it ("Manual Operacional do DICT"), or one plain sentence on what is
 * wrong.
 */
export type PixKeyCheck = { ok: true; key: string } | { ok: false; reason: string }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const email = /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/
/** Country 55, an area code without zeros, and eight digits, or nine that begin with 9. */
const phone = /^\+55[1-9]{2}(9\d{8}|[2-8]\d{7})$/

/**
 * Reads a Pix key: a person's CPF (11 digits), a company's CNPJ (14 characters, with letters since July 2026), an e-mail
 * address, a phone number that begins with +55, or a random key. Check digits must hold. Points, hyphens and slashes of
 * the usual ways of writing are left out.
 */
export function checkPixKey(text: string): PixKeyCheck {
  if (!/^[\s\x21-\x7e]*$/.test(text)) return { ok: false, reason: neither }
  const lower = text.trim().toLowerCase()
  if (lower.includes('@')) return lower.length <= 77 && email.test(lower) ? accept(lower) : refuse('e-mail address')
  if (uuid.test(lower)) return accept(lower)

  const bare = lower.replace(/[\s().\-/]/g, '').toUpperCase()
  if (bare.startsWith('+'))
    return phone.test(bare) ? accept(bare) : refuse('phone number of Brazil, +55 and 10 or 11 digits')
  if (/^\d{11}$/.test(bare)) return isCpf(bare) ? accept(bare) : refuse('CPF. A phone number as a key begins with +55')
  if (/^[A-Z0-9]{14}$/.test(bare)) return isCnpj(bare) ? accept(bare) : refuse('CNPJ')
  return { ok: false, reason: neither }
}

const neither = 'A Pix key is a CPF, a CNPJ, an e-mail address, a phone number with +55, or a random key.'

const accept = (key: string): PixKeyCheck => ({ ok: true, key })
const refuse = (what: string): PixKeyCheck => ({ ok: false, reason: `This is not a valid ${what}.` })

/** CPF: two check digits modulo 11, weights from the right from 2 on. Eleven equal digits hold, but are given to nobody. */
const isCpf = (text: string): boolean => !/^(.)\1*$/.test(text) && text.endsWith(checkDigits(text.slice(0, 9), 11))

/**
 * CNPJ: as a CPF, but the weights go from 2 to 9 and begin again. A letter counts as its ASCII code less 48 (Receita
 * Federal, Instrução Normativa RFB 2.229/2024; Serpro, "Cálculo dos dígitos verificadores de CNPJ alfanumérico").
 */
const isCnpj = (text: string): boolean => !/^(.)\1*$/.test(text) && text.endsWith(checkDigits(text.slice(0, 12), 9))

/** Two digits; the second also covers the first. */
function checkDigits(body: string, greatestWeight: number): string {
  const first = checkDigit(body, greatestWeight)
  return first + checkDigit(body + first, greatestWeight)
}

function checkDigit(body: string, greatestWeight: number): string {
  const sum = [...body].toReversed().reduce((total, character, at) => {
    return total + (character.charCodeAt(0) - 48) * (2 + (at % (greatestWeight - 1)))
  }, 0)
  return String(sum % 11 < 2 ? 0 : 11 - (sum % 11))
}
