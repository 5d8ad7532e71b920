import { type RefusalCode, refusals } from '../../../platform/lib/refusal.ts'
import type { DeclaredRoute } from './declared-route.ts'
import type { Json } from './write-shapes.ts'

/** Who may call, as security requirements: any one of them is enough. */
export function securityOf({ config }: DeclaredRoute): Json[] {
  const both = { ApiKey: [], SecretKey: [] }
  return config.access === 'anyone' ? [{}, { ApiKey: [] }, both] : [{ ApiKey: [] }, both]
}

/** Everything that an operation may be refused with: what its handler says, and what the door says to everybody. */
export function codesOf({ method, config }: DeclaredRoute): RefusalCode[] {
  const { feature, operation } = config
  const codes = new Set<RefusalCode>([
    'BAD_REQUEST',
    'INVALID_TOKEN',
    'SIGNATURE_INVALID',
    'FORBIDDEN',
    'REQUEST_TIMEOUT',
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    ...operation.refuses,
    ...(feature ? (['FEATURE_NOT_ENABLED'] as const) : []),
    ...(method === 'POST' ? ofPosts : []),
  ])
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => codes.has(code))
}

const ofPosts = [
  'IDEMPOTENCY_IN_PROGRESS',
  'IDEMPOTENCY_MISMATCH',
  'CONFLICT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const

/** What a code means, briefly. */
export const meanings: Readonly<Record<RefusalCode, string>> = {
  BAD_REQUEST: 'something is missing, ill-formed or out of range',
  PAIR_NOT_AVAILABLE: 'these currencies, networks and methods cannot be exchanged together',
  INVALID_TOKEN: 'the key is missing, unknown or revoked',
  SIGNATURE_INVALID: 'the account signs its requests, and this signature is missing or wrong',
  FORBIDDEN: 'this kind of key, or this address, may not do that',
  COUNTRY_NOT_SUPPORTED: 'customers of this country are not served',
  FEATURE_NOT_ENABLED: 'the feature is off for this account',
  NOT_PROVEN: 'the email address of the order is not proven',
  NOT_FOUND: 'it does not exist, or it is not yours',
  METHOD_NOT_ALLOWED: 'this path does not support this method',
  REQUEST_TIMEOUT: 'the request took too long to arrive',
  CONFLICT: 'the current state does not allow this',
  NOT_EXCLUDED: 'the payment can still be carried out',
  IDEMPOTENCY_IN_PROGRESS: 'the first request with this key is still being answered',
  PAYLOAD_TOO_LARGE: 'the body is over 256 KiB',
  UNSUPPORTED_MEDIA_TYPE: 'the body is not JSON',
  IDEMPOTENCY_MISMATCH: 'this `Idempotency-Key` came with another request before',
  RATE_LIMITED: 'too many requests',
  INTERNAL_ERROR: 'something went wrong on our side',
  SERVICE_UNAVAILABLE: 'not available at the moment; try again',
}

const reference = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

/** The headers that an answer of an operation may have. */
export function headersOf({ method, config }: DeclaredRoute, status: number): Json {
  const names = [
    'X-Request-Id',
    ...(config.access === 'secret-key' ? [] : ['Access-Control-Allow-Origin']),
    ...([409, 429, 503].includes(status) ? ['Retry-After'] : []),
    ...(status === 429 ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []),
    ...(method === 'POST' && status < 300 ? ['Idempotency-Replayed'] : []),
    ...(config.operation.readsForwarded ? ['Deprecation', 'Link'] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, reference('headers', name)]))
}

const text = (description: string, maxLength: number, pattern: string, examples: string[]): Json => ({
  description,
  schema: { type: 'string', maxLength, pattern, examples },
})
const count = (description: string): Json => ({
  description,
  schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 },
})

/** Headers of answers. */
export const headers: Json = {
  'X-Request-Id': text('Names the request, in our log too.', 64, '^[\\w.:-]{1,64}$', ['k3jx9v2m1q']),
  'Access-Control-Allow-Origin': text('Any page may read this.', 1, '^\\*$', ['*']),
  'Retry-After': count('Seconds after which it makes sense to try again.'),
  'RateLimit-Limit': count('How many requests may come at once.'),
  'RateLimit-Remaining': count('How many may come now.'),
  'RateLimit-Reset': count('Seconds until one may come again.'),
  'Idempotency-Replayed': text('Sent when this is the first answer again.', 4, '^true$', ['true']),
  Deprecation: text('Sent when a deprecated input was used: since when it is (RFC 9745).', 32, '^@\\d+$', [
    '@1790294400',
  ]),
  Link: text('Sent with it: the changelog.', 2_048, '^<.*>', [
    '<https://exchange.example/#changes>; rel="deprecation"',
  ]),
}

const headerParameter = (name: string, description: string, schema: Json, more: Json = {}): Json => ({
  name,
  in: 'header',
  description,
  required: false,
  ...more,
  schema: { type: 'string', ...schema },
})

/** Headers of requests, by the name of their component. */
export const headerParameters: Readonly<Record<string, Json>> = {
  RequestId: headerParameter('x-request-id', 'A name for the request; ours unless it is sane.', {
    maxLength: 64,
    pattern: '^[\\w.:-]{1,64}$',
  }),
  IdempotencyKey: headerParameter(
    'Idempotency-Key',
    'Kept for 24 hours: the same request with the same key returns the first response again, and does nothing twice.',
    { maxLength: 255, pattern: '^[\\x20-\\x7e]+$', examples: ['7c1f7a52-0d7e-4b0b-a9ad-53d7ff2a5e5a'] },
  ),
  Signature: headerParameter(
    'Partner-Signature',
    'For accounts that sign: base64 of RSA-SHA256 or Ed25519 over `timestamp.METHOD.path?query.idempotency-key.body`, once; without a timestamp RSA-SHA256 over the body alone, on creates.',
    { maxLength: 2_048, pattern: '^[A-Za-z0-9+/=]+$' },
  ),
  Timestamp: headerParameter('Partner-Timestamp', 'The unix time of the signature, in seconds.', {
    maxLength: 16,
    pattern: '^\\d+$',
  }),
  Forwarded: headerParameter(
    'X-Forwarded-For',
    "Deprecated: the customer's address. Read only when the body has none; `customer.ip` replaces it.",
    { maxLength: 2_048, pattern: '^[0-9A-Fa-f.:, ]+$', examples: ['192.0.2.10'] },
    { deprecated: true },
  ),
}

/** The header parameters of an operation. */
export const headerParametersOf = ({ method, config }: DeclaredRoute): Json[] =>
  [
    'RequestId',
    ...(method === 'POST' ? ['IdempotencyKey'] : []),
    ...(config.access === 'anyone' ? [] : ['Signature', 'Timestamp']),
    ...(config.operation.readsForwarded ? ['Forwarded'] : []),
  ].map((name) => reference('parameters', name))

/** How callers prove who they are. */
export const securitySchemes: Json = {
  ApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'A public key (`pk_...`) or a secret key (`sk_...`). Operations that need a secret key say so.',
  },
  SecretKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-secret-key',
    description: 'A secret key, in addition to a public `x-api-key` of the same account. Never send it from a browser.',
  },
}
