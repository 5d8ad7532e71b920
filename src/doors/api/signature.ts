import { createHash, type KeyObject, verify } from 'node:crypto'

import type { FastifyRequest, onRequestHookHandler, preHandlerHookHandler } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { signingKeysIn } from '../../exchange/partners/signing-keys.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import { callerOf } from './authenticate.ts'
import * as queries from './queries.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request carries a signature of its account, which was checked. */
    isSigned: boolean
  }
}

/** How far a signature's time may be from real time, either way. */
const longestAgeSeconds = 300

/** How long a signature stays used up. */
export const signatureOnceMs = 86_400_000

/** The one route that reads signatures without a timestamp. */
const olderFormRoute = '/v1/transaction'

type Needs = Pick<Ctx, 'clock' | 'db' | 'policies' | 'secrets'>

/**
 * Makes the hook that checks `Partner-Signature`: where the account demands one, and wherever one is sent to an account that has
 * a key registered. It comes after the body, because the body is signed; everything is signed as it came over the wire. A
 * signature is accepted once, except with the same Idempotency-Key. Refuses SIGNATURE_INVALID.
 */
export function signatureCheck(ctx: Needs): (creates: boolean) => preHandlerHookHandler {
  const keys = new WeakMap<Partner, KeyObject[]>()

  function keysOf(partner: Partner): KeyObject[] {
    const known = keys.get(partner)
    if (known) return known
    if (partner.settings.signingKey === null) throw new Error(`Partner ${partner.id} must sign and has no key.`)
    const own = signingKeysIn(partner.settings.signingKey)
    keys.set(partner, own)
    return own
  }

  return (creates) => (request, _reply, done) => {
    const partner = request.caller?.partner
    if (!partner) return done()
    const isChecked = isSent(request) && partner.settings.signingKey !== null
    if (!isChecked && !isDemanded(partner, creates)) return done()

    const now = ctx.clock.realNow()
    const signature = signatureIn(request, keysOf(partner), now)
    if (!signature) throw new Refusal('SIGNATURE_INVALID', 'The signature of this request is too old or wrong.')
    useOnce(ctx, request, { partner, signature, now }).then(() => done(), done)
  }
}

const isSent = ({ headers }: FastifyRequest): boolean => Boolean(headers['partner-signature'])

const isDemanded = ({ settings: { signing } }: Partner, creates: boolean): boolean =>
  signing === 'all' || (signing === 'create' && creates)

/** Makes the hook that refuses a request without a signature before its body is read, where the account demands one. */
export const signatureDemand =
  (creates: boolean): onRequestHookHandler =>
  (request, _reply, done) => {
    const partner = request.caller?.partner
    if (partner && isDemanded(partner, creates) && !isSent(request)) {
      throw new Refusal('SIGNATURE_INVALID', 'This account signs its requests: a Partner-Signature is required.')
    }
    done()
  }

/** The bytes of a request's signature; undefined for one that is missing, too old or wrong. */
function signatureIn(request: FastifyRequest, keys: readonly KeyObject[], now: Date): Buffer | undefined {
  const { 'partner-signature': text, 'partner-timestamp': timestamp } = request.headers
  if (typeof text !== 'string') return undefined
  const signature = Buffer.from(text, 'base64')
  const isRight = timestamp ? isTimely(timestamp, now) && isOverRequest : isOverBody
  return isRight && isRight(request, keys, signature) ? signature : undefined
}

function isTimely(timestamp: string | string[], now: Date): boolean {
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(Number.parseInt(timestamp, 10) - Math.floor(now.getTime() / 1000)) <= longestAgeSeconds
}

type Check = (request: FastifyRequest, keys: readonly KeyObject[], signature: Buffer) => boolean

const noBody = Buffer.alloc(0)

/** Over `timestamp.METHOD.path?query.idempotency-key.body`, by RSA-SHA256 or Ed25519. */
const isOverRequest: Check = ({ headers, method, url, bodyBytes }, keys, signature) => {
  const head = [headers['partner-timestamp'], method, url, headers['idempotency-key'] ?? '', ''].join('.')
  const signed = Buffer.concat([Buffer.from(head), bodyBytes ?? noBody])
  return keys.some((key) => verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, signature))
}

/** The older form: RSA-SHA256 over the body alone, on creates of transactions. */
const isOverBody: Check = ({ method, routeOptions, bodyBytes }, keys, signature) =>
  method === 'POST' &&
  routeOptions.url === olderFormRoute &&
  keys.some((key) => key.asymmetricKeyType === 'rsa' && verify('sha256', bodyBytes ?? noBody, key, signature))

type Used = { partner: Partner; signature: Buffer; now: Date }

async function useOnce(
  { db, secrets, policies, clock }: Needs,
  request: FastifyRequest,
  { partner, signature, now }: Used,
): Promise<void> {
  const key = request.headers['idempotency-key']
  const isFirst = await queries.useSignature(db, {
    partnerId: partner.id,
    hash: createHash('sha256').update(signature).digest(),
    // An answer is kept per API key: under another key of the account, the same request would be carried out again.
    idempotencyKey: key
      ? indexHash(secrets, 'signed-idempotency-key', `${callerOf(request).key.id}:${String(key)}`)
      : null,
    now,
    since: after(now, -signatureOnceMs),
    answersSince: after(now, -Math.min(policies.at(clock.now(), 'retention').rules.idempotencyMs, signatureOnceMs)),
  })
  request.isSigned = isFirst
  if (!isFirst) throw new Refusal('SIGNATURE_INVALID', 'This signature was used before. Sign every request afresh.')
}
