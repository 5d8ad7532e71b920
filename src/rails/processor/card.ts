import type { CardAuthentication } from '../rail.ts'
import { textOf } from './call.ts'

/** A code of the processor, if it looks like one: free text may hold what a person wrote. */
export const codeOf = (value: unknown): string => (/^[\w.-]{1,64}$/.test(textOf(value)) ? textOf(value) : '')

/** A field of an event's body; none where its text is empty. */
export const given = (name: string, value: string): Record<string, string> => (value === '' ? {} : { [name]: value })

/** The outcome by an electronic commerce indicator: 05 and 02 are authenticated, 06 and 01 attempted; the issuer bears fraud in both. */
export function outcomeOf(indicator: string): CardAuthentication | undefined {
  if (/^0?[25]$/.test(indicator)) return { threeDSecure: 'authenticated', liabilityShifted: true }
  if (/^0?[16]$/.test(indicator)) return { threeDSecure: 'attempted', liabilityShifted: true }
  return undefined
}
