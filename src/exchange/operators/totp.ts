import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

import { base32 } from '@scure/base'

/** Time-based one-time passwords: RFC 6238 with SHA-1, 30 seconds and 6 digits, which every authenticator app reads. */
const stepSeconds = 30
const digits = 6
const secretBytes = 20

/** A new secret. */
export const makeTotpSecret = (): Buffer => randomBytes(secretBytes)

/** The secret as apps read it, typed or as a QR code. */
export const totpUri = (secret: Buffer, email: string): { text: string; uri: string } => {
  const text = base32.encode(secret).replaceAll('=', '')
  return { text, uri: `otpauth://totp/${encodeURIComponent(`Cambio:${email}`)}?secret=${text}&issuer=Cambio` }
}

/** The code of a time step. */
export function totpCode(secret: Buffer, step: bigint): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(step)
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0')
}

/**
 * The time step that a code belongs to: the present one, or one before or after, for clocks that differ. Undefined for a wrong code
 * and for steps up to `lastStep`, so that no code works twice.
 */
export function totpStep(
  secret: Buffer,
  code: string,
  { now, lastStep }: { now: Date; lastStep: bigint | null },
): bigint | undefined {
  const typed = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(typed)) return undefined
  const present = BigInt(Math.trunc(now.getTime() / 1_000 / stepSeconds))
  return [present - 1n, present, present + 1n].find(
    (step) =>
      (lastStep === null || step > lastStep) &&
      timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(typed)),
  )
}
