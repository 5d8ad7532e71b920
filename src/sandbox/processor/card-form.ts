import { createHash } from 'node:crypto'

import type { Mismatch } from './queries.ts'
import type { CardProblems } from './processor-page.tsx'

/** What was typed into the card form. It is looked at, and then forgotten. */
export type TypedCard = { number: string; expiry: string; cvc: string; holder: string }

/** What is wrong with a card form at a moment of real time; nothing when it can be tried. */
export function problemsOfCard({ number, expiry, cvc }: Omit<TypedCard, 'holder'>, now: Date): CardProblems {
  return {
    ...(isKnown(number)
      ? {}
      : { number: 'This is not a card number of the sandbox. Take one of the test cards below.' }),
    ...(isAhead(expiry, now) ? {} : { expiry: 'Enter a month to come, such as 12/34.' }),
    ...(/^\d{3,4}$/.test(cvc.trim()) ? {} : { cvc: 'Enter three or four digits.' }),
  }
}

/** What the processor calls a card: the same for one number, date and holder. Undefined where no holder was given. */
export function fingerprintOf({ number, expiry, holder }: Omit<TypedCard, 'cvc'>): string | undefined {
  const name = holder.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  if (name === '') return undefined
  const card = [number.replaceAll(/\D/g, ''), expiry.replaceAll(/\D/g, '').padStart(4, '0'), name]
  return createHash('sha256').update(card.join('\n')).digest('hex').slice(0, 32)
}

const isKnown = (number: string): boolean => /^[\d\s-]{13,30}$/.test(number) && outcomeOfCard(number) !== undefined

/** What a test card does. Other numbers are no cards of this processor. */
const cards: ReadonlyMap<string, 'captured' | 'declined' | 'challenge'> = new Map([
  ['4242424242424242', 'captured'],
  ['4000000000000002', 'declined'],
  ['4000000000003220', 'challenge'],
  ['4000000000000010', 'captured'],
  ['4000000000000101', 'captured'],
])

/** What comes of paying with a card; undefined if the processor does not know it. Blanks and dashes do not count. */
export const outcomeOfCard = (number: string): 'captured' | 'declined' | 'challenge' | undefined =>
  cards.get(number.replace(/[\s-]/g, ''))

/** What is found wrong of a test card, though it pays. */
export const mismatchOf = (number: string): Mismatch | undefined => mismatches.get(number.replace(/[\s-]/g, ''))

const mismatches: ReadonlyMap<string, Mismatch> = new Map([
  ['4000000000000010', 'avs'],
  ['4000000000000101', 'cvc'],
])

/** A card is valid to the end of its month. Years are of this century. */
function isAhead(expiry: string, now: Date): boolean {
  const [, month = '', year = ''] = /^\s*(0?[1-9]|1[0-2])\s*[/-]?\s*(?:20)?(\d\d)\s*$/.exec(expiry) ?? []
  if (month === '') return false
  const monthsOf = (years: number, months: number): number => years * 12 + months
  const last = monthsOf(2000 + Number.parseInt(year, 10), Number.parseInt(month, 10) - 1)
  return last >= monthsOf(now.getUTCFullYear(), now.getUTCMonth())
}
