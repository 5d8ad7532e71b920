import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * The secrets derived from the one master key, which lives in a file outside the database. Each purpose has its own key, so that
 * none reveals another.
 */
export type Secrets = {
  /** Encrypts data keys. 32 bytes. */
  wrapping: Buffer
  /** Encrypts secrets of accounts (webhook and widget secrets). 32 bytes. */
  sealing: Buffer
  /** Keys the hashes for looking up personal data (e-mail addresses, codes). 32 bytes. */
  index: Buffer
  /** Keys the digests of ledger entries. 32 bytes. */
  ledger: Buffer
  /** Derives a key for another purpose. 32 bytes. */
  keyFor(label: string): Buffer
  /** Identifies the master key in the database without revealing it. 32 bytes. */
  mark: Buffer
  /** The password of the service's database role. */
  databasePassword: string
}

/** Reads the master key file, 64 hex digits. With `make`, creates a missing one (mode 0600). */
export async function loadSecrets(file: string, make: boolean): Promise<Secrets> {
  return deriveSecrets(await readMasterKey(file, make))
}

/** Derives all secrets from the master key by HKDF-SHA-256 (RFC 5869), one label a purpose. */
export function deriveSecrets(master: Buffer): Secrets {
  if (master.length !== 32) throw new Error('The master key must be 32 bytes.')
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', master, 'cambio', label, 32))
  return {
    wrapping: derive('data-keys'),
    sealing: derive('account-secrets'),
    index: derive('search-index'),
    ledger: derive('ledger-digest'),
    keyFor: derive,
    mark: derive('key-mark'),
    databasePassword: derive('database-role').toString('base64url'),
  }
}

async function readMasterKey(file: string, make: boolean): Promise<Buffer> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && make) return undefined
    throw new Error(`The master key file cannot be read (${error.code}).`)
  })
  if (text === undefined) return makeMasterKey(file)
  if (!/^[0-9a-f]{64}\s*$/i.test(text)) throw new Error('The master key file must hold 64 hex digits.')
  return Buffer.from(text.trim(), 'hex')
}

/** Written to disk before anything is encrypted with it; `wx` so that two starts cannot overwrite each other's key. */
async function makeMasterKey(file: string): Promise<Buffer> {
  const key = randomBytes(32)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(`${key.toString('hex')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await chmod(file, 0o600)
  return key
}

/** A keyed hash to look up personal data by; `purpose` separates kinds of data. */
export const indexHash = ({ index }: Pick<Secrets, 'index'>, purpose: string, text: string): Buffer =>
  createHmac('sha256', index).update(`${purpose}\n${text}`).digest()
