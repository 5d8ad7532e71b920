import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import type { KeyRing } from './seal.ts'

/**
 * The secrets derived from the master key, which lives in a file outside the database. Each purpose has its own key, so that none
 * reveals another. After a rotation the newest master key encrypts; what finds and proves (hashes, digests, signatures) stays with the
 * first one.
 */
export type Secrets = {
  /** Encrypts data keys. */
  wrapping: KeyRing
  /** Encrypts secrets of accounts (webhook and widget secrets). */
  sealing: KeyRing
  /** Keys the hashes for looking up personal data (e-mail addresses, codes). 32 bytes. */
  index: Buffer
  /** Keys the digests of ledger entries. 32 bytes. */
  ledger: Buffer
  /** All keys of such digests, the first one being 0. */
  ledgerKeys: ReadonlyMap<number, Buffer>
  /** Learns them, in place: the last one makes digests from now on. */
  learnLedger(keys: ReadonlyMap<number, Buffer>): void
  /** Derives a key for another purpose. 32 bytes. */
  keyFor(label: string): Buffer
  /** Identifies the master key of the file in the database without revealing it. 32 bytes. */
  mark: Buffer
  /** The key of the file. */
  master: Buffer
  /** The master keys that are known, by generation. Before others are learned, the file's is the first. */
  masters: ReadonlyMap<number, Buffer>
  /** Learns all generations, in place, for every holder of these secrets. */
  learn(masters: ReadonlyMap<number, Buffer>): void
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
  const own = (label: string) => derive(master, label)
  const secrets: Secrets = {
    wrapping: { newest: 0, keys: new Map() },
    sealing: { newest: 0, keys: new Map() },
    index: own('search-index'),
    ledger: own('ledger-digest'),
    ledgerKeys: new Map(),
    learnLedger: (keys) => {
      secrets.ledgerKeys = keys
      secrets.ledger = keys.get(Math.max(...keys.keys())) ?? secrets.ledger
    },
    keyFor: (label) => derive(secrets.masters.get(0) ?? master, label),
    mark: own('key-mark'),
    master,
    databasePassword: own('database-role').toString('base64url'),
    masters: new Map(),
    learn: (masters) => {
      secrets.masters = masters
      secrets.index = secrets.keyFor('search-index')
      secrets.learnLedger(new Map([...secrets.ledgerKeys, [0, secrets.keyFor('ledger-digest')]]))
      learnRing(secrets.wrapping, masters, 'data-keys')
      learnRing(secrets.sealing, masters, 'account-secrets')
    },
  }
  secrets.learn(new Map([[0, master]]))
  return secrets
}

/** The key that a master key encrypts other master keys with. */
export const vaultOf = (master: Buffer): Buffer => derive(master, 'master-keys')

const derive = (master: Buffer, label: string): Buffer => Buffer.from(hkdfSync('sha256', master, 'cambio', label, 32))

function learnRing(ring: KeyRing, masters: ReadonlyMap<number, Buffer>, label: string): void {
  for (const [generation, master] of masters) ring.keys.set(generation, derive(master, label))
  ring.newest = Math.max(...masters.keys())
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
