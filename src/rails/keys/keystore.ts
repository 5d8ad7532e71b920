import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'

/**
 * The keystore file: a mnemonic (BIP-39) from which all our keys are derived, sealed by AES-256-GCM with a key that scrypt
 * (RFC 7914) makes of a password. The parameters are stored with it, so that older files stay readable when ours grow.
 */
type Keystore = {
  cambio_keystore: 1
  kdf: { name: 'scrypt'; n: number; r: number; p: number; salt: string }
  cipher: { name: 'aes-256-gcm'; iv: string; tag: string; text: string }
}

/** What scrypt costs: 128 MiB, about half a second. */
const cost = { n: 131_072, r: 8, p: 1 }
/** A file may ask for no more than this of our memory: 1 GiB. */
const most = { n: 1_048_576, r: 8, p: 4 }
const leastPassword = 12
const place = Buffer.from('cambio evm keystore 1')

/**
 * Writes a mnemonic to a new file that only its owner may read. Refuses a short password, and an existing file: it may control
 * money.
 */
export async function writeKeystore(file: string, mnemonic: string, password: string, kdf = cost): Promise<void> {
  if (password.length < leastPassword) throw new Error(`The password needs at least ${leastPassword} characters.`)
  const salt = randomBytes(32)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', await keyOf(password, { ...kdf, salt }), iv).setAAD(place)
  const text = Buffer.concat([cipher.update(mnemonic, 'utf8'), cipher.final()])
  const keystore: Keystore = {
    cambio_keystore: 1,
    kdf: { name: 'scrypt', ...kdf, salt: salt.toString('hex') },
    cipher: { name: 'aes-256-gcm', iv: hex(iv), tag: hex(cipher.getAuthTag()), text: hex(text) },
  }
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new Error(`The keystore ${file} already exists and is never overwritten.`)
    throw new Error(`The keystore ${file} cannot be written (${error.code}).`)
  })
  try {
    await handle.writeFile(`${JSON.stringify(keystore, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Opens a keystore and gives its mnemonic. Refuses, each in a sentence, a file that is not there, that others may read, that is no
 * keystore, and a wrong password. Neither the mnemonic nor the password is part of any message.
 */
export async function readKeystore(file: string, password: string): Promise<string> {
  const { kdf, cipher } = parse(file, await readPrivate(file, 'keystore'))
  const salt = Buffer.from(kdf.salt, 'hex')
  const decipher = createDecipheriv(
    'aes-256-gcm',
    await keyOf(password, { ...kdf, salt }),
    Buffer.from(cipher.iv, 'hex'),
  )
    .setAAD(place)
    .setAuthTag(Buffer.from(cipher.tag, 'hex'))
  try {
    return Buffer.concat([decipher.update(Buffer.from(cipher.text, 'hex')), decipher.final()]).toString('utf8')
  } catch {
    throw new Error(`The password does not open the keystore ${file}, or the file was changed.`)
  }
}

/** Reads a password from a file's first line. Refuses a file that others may read. */
export async function readPasswordFile(file: string): Promise<string> {
  const [line = ''] = (await readPrivate(file, 'password file')).split(/\r?\n/)
  return line
}

/** Why a keystore cannot be read, before its password is tried; undefined for nothing. */
export function keystoreProblem(file: string): string | undefined {
  try {
    if (isOpen(statSync(file))) return 'may be read by others: run chmod 600 on it'
    parse(file, readFileSync(file, 'utf8'))
    return undefined
  } catch {
    return 'is no keystore that can be read'
  }
}

const isOpen = ({ mode }: { mode: number }): boolean => (mode & 0o077) !== 0

async function readPrivate(file: string, what: string): Promise<string> {
  try {
    if (isOpen(await stat(file))) throw new TooOpen(`The ${what} ${file} may be read by others: run chmod 600 on it.`)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof TooOpen) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new Error(`The ${what} ${file} cannot be read (${code}).`, { cause: error })
  }
}

class TooOpen extends Error {}

function parse(file: string, text: string): Keystore {
  let read: Partial<Keystore>
  try {
    read = JSON.parse(text) as Partial<Keystore>
  } catch {
    read = {}
  }
  const { kdf, cipher } = read
  const isOurs =
    read.cambio_keystore === 1 &&
    kdf?.name === 'scrypt' &&
    cipher?.name === 'aes-256-gcm' &&
    isBetween(kdf.n, 16_384, most.n) &&
    isBetween(kdf.r, 1, most.r) &&
    isBetween(kdf.p, 1, most.p) &&
    isHex(kdf.salt, 32) &&
    isHex(cipher.iv, 12) &&
    isHex(cipher.tag, 16) &&
    isHex(cipher.text)
  if (!isOurs) throw new Error(`The file ${file} is no keystore of this version.`)
  return { cambio_keystore: 1, kdf, cipher }
}

const hex = (bytes: Buffer): string => bytes.toString('hex')
const isHex = (text: unknown, bytes?: number): boolean =>
  typeof text === 'string' && /^([0-9a-f]{2})+$/.test(text) && (bytes === undefined || text.length === bytes * 2)
const isBetween = (number: unknown, least: number, highest: number): boolean =>
  typeof number === 'number' && Number.isInteger(number) && number >= least && number <= highest

const keyOf = (
  password: string,
  { n, r, p, salt }: { n: number; r: number; p: number; salt: Buffer },
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: n, r, p, maxmem: 256 * n * r * p }
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
