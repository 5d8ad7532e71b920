import assert from 'node:assert/strict'

/**
 * What a reference is made of behind its check digits: capitals only, no vowels, so that there are no words and neither I nor
 * O. As no digit is among them either, 1 and L, 8 and B, 5 and S, 2 and Z are never confused, and modulo 97 catches every
 * single wrong character, which it does not where digits and letters may take each other's place.
 */
const alphabet = 'BCDFGHJKLMNPQRSTVWXYZ'
const bodyLength = 14
const combinations = BigInt(alphabet.length) ** BigInt(bodyLength)

/**
 * A reference for a payment to us, in the form of ISO 11649: `RF`, two check digits, 14 letters. 18 characters are what Faster
 * Payments carry, the least of all (a Pix `txid` has 25, SPEI's text 40, SEPA's and SWIFT's structured reference 35). One in
 * 2^61, so references cannot be guessed; derived from the entropy, at least 16 random bytes.
 */
export function makeReference(entropy: Uint8Array): string {
  assert(entropy.length >= 16, 'a reference is made of 16 random bytes or more')
  const number = BigInt(`0x${Buffer.from(entropy).toString('hex')}`) % combinations
  const digits = [...number.toString(alphabet.length).padStart(bodyLength, '0')]
  const body = digits.map((digit) => alphabet.charAt(Number.parseInt(digit, alphabet.length))).join('')
  return `RF${String(98 - modulo97(`${body}RF00`)).padStart(2, '0')}${body}`
}

/** Whether a text is a creditor reference of ISO 11649 in its electronic spelling, ours or anybody's. */
export const isCreditorReference = (text: string): boolean =>
  /^RF\d{2}[A-Z0-9]{1,21}$/.test(text) && modulo97(text.slice(4) + text.slice(0, 4)) === 1

/** Every place where a reference of ours may begin, with what follows. Looks ahead only, so overlapping ones are all seen. */
const candidates = new RegExp(`(?=(RF\\d{2}[${alphabet}]{${bodyLength}}))`, 'g')

/**
 * Finds our reference in whatever a bank passes on: in any letter case, with spaces, line breaks and signs inside, with text
 * around it, cut up by the field marks of MT940 (`?21`). undefined when there is none whose check digits hold, and when
 * there are two different ones: then nobody can say what was meant. Takes time in proportion to the text.
 */
export function findReference(remittanceText: string): string | undefined {
  const found = [remittanceText, remittanceText.replace(/\?\d\d/g, '')].flatMap((text) => {
    const bare = text.replace(/[^A-Za-z0-9]/g, '').toUpperCase()
    return Array.from(bare.matchAll(candidates), ([, reference = '']) => reference).filter(isCreditorReference)
  })
  const [reference, ...others] = new Set(found)
  return others.length === 0 ? reference : undefined
}

/** A reference as people read and type it: groups of four. */
export const printReference = (reference: string): string => reference.replace(/(.{4})(?=.)/g, '$1 ')

/** The remainder of ISO 7064 MOD 97-10, a letter counting as two digits from A = 10 on. */
const modulo97 = (text: string): number =>
  [...text].reduce((rest, character) => {
    const value = Number.parseInt(character, 36)
    return (rest * (value < 10 ? 10 : 100) + value) % 97
  }, 0)
