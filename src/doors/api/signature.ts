import { type KeyObject, verify } from 'node:crypto'

import type { FastifyRequest, preHandlerHookHandler } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { signingKeysIn } from '../../exchange/partners/signing-keys.ts'

/** How far a signature's time may be from real time, either way. */
const longestAgeSeconds = 300

/**
 * Makes the hook that checks `Partner-Signature` where the account demands one: base64 RSA-SHA256 or Ed25519 over
 * `timestamp.METHOD.path?query.body`, made with one of the partner's own keys, `Partner-Timestamp` (unix seconds) beside it. Comes
 * after the body, because the body is signed; everything is signed as it came over the wire. Refuses SIGNATURE_INVALID.
 */
export function signatureCheck({ clock }: Pick<Ctx, 'clock'>): (creates: boolean) => preHandlerHookHandler {
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
    const demanded = partner?.settings.signing ?? 'off'
    if (partner && (demanded === 'all' || (demanded === 'create' && creates))) {
      const now = Math.floor(clock.realNow().getTime() / 1000)
      if (!isSigned(request, keysOf(partner), now)) {
        throw new Refusal(
          'SIGNATURE_INVALID',
          'This account signs its requests, and this signature is missing, old or wrong.',
        )
      }
    }
    done()
  }
}

function isSigned({ headers, method, url, bodyBytes }: FastifyRequest, keys: KeyObject[], now: number): boolean {
  const { 'partner-signature': signature, 'partner-timestamp': timestamp } = headers
  if (typeof signature !== 'string' || typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Number.parseInt(timestamp, 10) - now) > longestAgeSeconds) return false

  const signed = Buffer.concat([Buffer.from(`${timestamp}.${method}.${url}.`), bodyBytes ?? Buffer.alloc(0)])
  return keys.some((key) => {
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return verify(algorithm, signed, key, Buffer.from(signature, 'base64'))
  })
}
