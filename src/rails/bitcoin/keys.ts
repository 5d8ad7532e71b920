import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import { base58 } from '@scure/base'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'

import type { SignedFor } from '../chain/ended.ts'
import type { MostOf } from '../keys/signer-caps.ts'
import type { ChainRules } from './networks.ts'
import type { AddressForms } from '../../reference/addresses/output-script.ts'
import { keyAddress, keyScript } from '../../reference/addresses/output-script.ts'

/** Where a key is below its account: branch 0 for what customers pay to, 1 for what returns to us (BIP-44). */
export type KeyPath = { branch: 0 | 1; position: bigint }

/** An output of ours that is spent, and the key that it pays to. */
export type SignInput = KeyPath & { txid: string; vout: number; amount: bigint }

/**
 * A transfer before it is signed. The signer can check what leaves: `path` marks the outputs that return to us, `payout` is the key of
 * the prepared payment that the others pay.
 */
export type SignPlan = {
  inputs: readonly SignInput[]
  outputs: readonly { script: string; amount: bigint; path?: KeyPath; payout?: string }[]
}

/** A signed transfer: the bytes that a node takes, as hex, and its id. */
export type SignedTransfer = { raw: string; txid: string }

/**
 * Holds the keys of one account. Narrow, so that it can be another process: nothing but public keys and signatures leave it.
 * The same plan always gives the same bytes (RFC 6979).
 */
export type Signer = {
  /** The extended public key of the account, as xpub. */
  accountKey(): Promise<string>
  sign(plan: SignPlan): Promise<SignedTransfer>
  /** What another process signs at most. */
  most?: MostOf
  signedFor?: SignedFor
}

/** The addresses of one account, derived from its public key alone. */
export type Account = { addressAt(path: KeyPath): OwnAddress }
/** An address of ours with its output script as hex. */
export type OwnAddress = { address: string; script: string }

const xpubVersion = Uint8Array.of(0x04, 0x88, 0xb2, 0x1e)

/** Reads an extended public key, in any version (xpub, zpub, tpub, vpub, Ltub). */
export function openAccount(text: string, rules: ChainRules, forms: AddressForms): Account {
  const bytes = base58.decode(text)
  bytes.set(xpubVersion)
  const account = HDKey.fromExtendedKey(base58.encode(withChecksum(bytes)))
  if (account.privateKey) throw new Error('The account key is a private key.')
  const branches = [account.deriveChild(0), account.deriveChild(1)] as const
  return {
    addressAt: ({ branch, position }) => {
      const { publicKey } = branches[branch].deriveChild(indexOf(position))
      if (!publicKey) throw new Error('An address has no key.')
      const hash = ripemd160(sha256(publicKey))
      return { address: keyAddress(rules, forms, hash), script: keyScript(rules, hash) }
    },
  }
}

function withChecksum(bytes: Uint8Array): Uint8Array {
  const body = bytes.slice(0, -4)
  return Uint8Array.of(...body, ...sha256(sha256(body)).subarray(0, 4))
}

/** A position as an index of BIP-32, which end at 2^31. */
export function indexOf(position: bigint): number {
  if (position < 0n || position >= 2n ** 31n) throw new Error(`No address can be derived at ${position}.`)
  return Number.parseInt(String(position), 10)
}

/** The private key of the account m/84'/coin'/0' (m/44' without segregated witness). Refuses an invalid mnemonic. */
export async function deriveAccount(mnemonic: string, { purpose, coinType }: ChainRules): Promise<HDKey> {
  if (!validateMnemonic(mnemonic, wordlist)) throw new Error('The keystore holds no valid mnemonic.')
  return HDKey.fromMasterSeed(await mnemonicToSeed(mnemonic)).derive(`m/${purpose}'/${coinType}'/0'`)
}

/** A new mnemonic of 256 random bits. */
export const newMnemonic = (): string => generateMnemonic(wordlist, 256)
