import assert from 'node:assert/strict'

import { checkAddress } from '../../../src/reference/addresses/address.ts'
import type { AddressFamily } from '../../../src/reference/addresses/address.ts'

/** The words of a text: one vector a line in the tests. */
export const lines = (text: string): string[] => text.trim().split(/\s+/)

/** The address is accepted and its canonical spelling, itself unless told, is accepted as it stands. */
export function accepts(family: AddressFamily, text: string, canonical = text, extraId?: string): void {
  const tag = extraId === undefined ? {} : { extraId }
  assert.deepEqual(checkAddress(family, text), { ok: true, canonical, ...tag }, text)
  assert.deepEqual(checkAddress(family, canonical), { ok: true, canonical }, text)
}

/** The address is refused with one sentence, and with this one if it is told. */
export function refuses(family: AddressFamily, text: string, reason: RegExp = /^[A-Z]/): void {
  const check = checkAddress(family, text)
  assert(!check.ok, `${family} accepts ${JSON.stringify(text)}`)
  assert.match(check.reason, /^[A-Z][^\n]*\.$/)
  assert.match(check.reason, reason)
}
