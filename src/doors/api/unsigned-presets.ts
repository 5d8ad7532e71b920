import type { FastifyRequest } from 'fastify'

import { unsignedWarning, type Warning } from '../../exchange/transactions/create-input.ts'
import { type Fields, isAbsent } from './fields.ts'
import { isObject } from './json-body.ts'

// A public key may be seen by anyone. What it passes without a signature fixes nothing, unless the account's setting
// `unsigned_presets` is on.

/** Whether a request came by a public key without a signature. */
export const isUnsigned = ({ caller, isSigned }: FastifyRequest): boolean => caller?.key.kind === 'public' && !isSigned

/** The fields that only a signed request, or one by a secret key, may fix. */
const presets = [
  'payout_info.payout_address',
  'payout_info.extra_id',
  'payout_info.full_name',
  'payout_info.skip_choose_payout_address',
  'payout_address',
  'payout_extra_id',
  'customer.contact_info.email',
  'redirects',
] as const

/** Names every preset that a body has, as ignored. */
export const presetWarnings = (body: Fields): Warning[] =>
  presets.filter((path) => !isAbsent(valueAt(body, path.split('.')))).map(unsignedWarning)

/** The same body without any preset. */
export const withoutPresets = (body: Fields): Fields =>
  presets.reduce<Fields>((rest, path) => without(rest, path.split('.')), body)

const valueAt = (body: Fields, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body)

function without(body: Fields, [name = '', ...rest]: readonly string[]): Fields {
  const { [name]: value, ...others } = body
  if (rest.length === 0) return others
  return isObject(value) ? { ...others, [name]: without(value, rest) } : body
}
