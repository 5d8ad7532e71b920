import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** What one hash costs: 16 MiB and five rounds, one of the equals of OWASP's Password Storage Cheat Sheet for scrypt. */
const cost = { N: 2 ** 14, r: 8, p: 5 }
const length = 32

/** Hashes a password with a random salt, off the main thread: `scrypt$N$r$p$salt$hash`, so that the cost can rise later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const derived = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), derived.toString('base64url')].join('$')
}

/** Whether this is the password of the hash, at the cost that the hash names. A hash of another form is a fault. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, expected] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(stored) ?? []
  if (!N || !r || !p || !salt || !expected) throw new Error('A stored password hash has a form that is not known.')
  const named = { N: Number.parseInt(N, 10), r: Number.parseInt(r, 10), p: Number.parseInt(p, 10) }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), named)
  return timingSafeEqual(derived, Buffer.from(expected, 'base64url'))
}

/** Unicode forms of one text count as one (RFC 8265); memory is given with some room above `128 N r`. */
const derive = (password: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, { N, r, p, maxmem: 256 * N * r }, (error, derived) => {
      if (error) reject(error)
      else resolve(derived)
    })
  })
