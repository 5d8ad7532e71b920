import type { SharedToken } from '../../exchange/customers/import-identity.ts'
import { type FieldReader, type Fields, isAbsent } from './fields.ts'

/** The only provider that partners name; a token tells by itself whether it is the sandbox's. */
const usualProvider = 'sumsub'

const longestToken = 1_024

/**
 * Reads the token that a provider shares a person with, and the provider's name. `older` are names that are read where the
 * first are absent. Undefined when there is no token.
 */
export function readSharedToken(
  read: FieldReader,
  body: Fields,
  older?: { token: string; provider: string },
): SharedToken | undefined {
  const field = (name: string, other: string | undefined): [path: string, value: unknown] =>
    other !== undefined && isAbsent(body[name]) && !isAbsent(body[other]) ? [other, body[other]] : [name, body[name]]

  const [tokenPath, tokenValue] = field('kyc_shared_token', older?.token)
  const [providerPath, providerValue] = field('kyc_shared_token_provider', older?.provider)
  const token = read.text(tokenPath, tokenValue, { longest: longestToken, place: 'identifier', check: tokenComplaint })
  if (token === undefined) return undefined
  const provider = read.text(providerPath, providerValue, { longest: 64, check: providerComplaint }) ?? usualProvider
  return { token, provider: provider.toLowerCase() }
}

const tokenComplaint = (text: string) => (/^[\x21-\x7e]+$/.test(text) ? undefined : 'This is not a shared token.')

const providerComplaint = (text: string) =>
  /^(sumsub|sandbox)$/i.test(text) ? undefined : 'This is not an identity provider that we know: it is sumsub.'
