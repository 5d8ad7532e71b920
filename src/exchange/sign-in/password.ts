import { scrypt, timingSafeEqual } from 'node:crypto'

import { randomToken } from '../../platform/lib/ids.ts'

/** What one hash costs: 19 MiB and two rounds, the first choice of OWASP's Password Storage Cheat Sheet for Argon2id. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Hashes a password with Argon2id and a random salt, off the main thread, as a PHC string, so that the cost can rise later. */
export async function hashPassword(password: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2')
  return hash(password.normalize('NFC'), cost)
}

/**
 * Whether this is the password of the hash, at the cost that the hash names. Also reads the scrypt hashes of earlier versions. A
 * hash of another form is a fault.
 */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  // Unicode forms of one text count as one (RFC 8265).
  const text = password.normalize('NFC')
  if (stored.startsWith('$argon2id$')) {
    const { verify } = await import('@node-rs/argon2')
    return verify(stored, text)
  }
  const [, N, r, p, salt, expected] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? []
  if (!N || !r || !p || !salt || !expected) throw new Error('A stored password hash has a form that is not known.')
  const named = { N: Number.parseInt(N, 10), r: Number.parseInt(r, 10), p: Number.parseInt(p, 10) }
  const derived = await deriveScrypt(text, Buffer.from(salt, 'base64url'), named)
  return timingSafeEqual(derived, Buffer.from(expected, 'base64url'))
}

/** Memory is given with some room above `128 N r`. */
const deriveScrypt = (text: string, salt: Buffer, { N, r, p }: { N: number; r: number; p: number }): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(text, salt, 32, { N, r, p, maxmem: 256 * N * r }, (error, derived) => {
      if (error) reject(error)
      else resolve(derived)
    })
  })

/** Compared where there is nobody, so that the answer takes as long. */
let decoy: Promise<string> | undefined

/** Whether this is somebody's password. Takes as long where there is nobody, or nobody with a password. */
export async function isPasswordOf(
  person: { passwordHash: string | null } | undefined,
  password: string,
): Promise<boolean> {
  decoy ??= hashPassword(randomToken(16))
  const stored = person?.passwordHash ?? null
  const isRight = await isPassword(password, stored ?? (await decoy))
  return isRight && stored !== null
}

/** Beginnings and whole passwords of twelve characters and more that attackers try first. */
const common =
  /^(123456789012|qwertyuiop|asdfghjkl|zxcvbnm|1q2w3e4r5t|password|passw0rd|iloveyou|welcome|letmein|changeme|administrator|abcdefghijkl|111111111111|000000000000)/i

/** Why a password is refused; undefined if it is not. */
export function passwordProblem(password: string, email: string): string | undefined {
  if (password.length < 12 || password.length > 200) return 'A password has 12 to 200 characters.'
  const text = password.toLowerCase()
  const [name = ''] = email.toLowerCase().split('@')
  const isPlain =
    new Set(text).size < 5 || common.test(text.replaceAll(/[\s_-]/g, '')) || (name.length > 3 && text.includes(name))
  return isPlain ? 'This password is too easy to guess.' : undefined
}
