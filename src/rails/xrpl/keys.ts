import { HDKey } from '@scure/bip32'
import { mnemonicToSeed, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english'
import { hex } from '@scure/base'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256, sha512 } from '@noble/hashes/sha2.js'

import type { SignedFor } from '../chain/ended.ts'
import type { MostOf } from '../keys/signer-caps.ts'
import { encodeRippleBase58 } from '../../reference/addresses/base58.ts'

/** The network of an account. A payment does not name it, so each network has its own account and key. */
export type XrplNetwork = 'mainnet' | 'testnet'

/** A payment of XRP before it is signed. `amount` and `fee` are drops. */
export type UnsignedPayment = {
  payout: string
  destination: string
  tag?: number
  amount: string
  fee: string
  /** The number of the account's transaction: the ledger takes one with each number. */
  sequence: number
  /** No ledger after this one takes it. */
  lastLedger: number
}

/** The bytes that a node takes, as hex, and their hash. */
export type SignedPayment = { raw: string; hash: string }

/** Holds the key of an account. The same payment always gives the same bytes (RFC 6979). */
export type Signer = {
  /** The classic address of the account. */
  account(): Promise<string>
  sign(payment: UnsignedPayment): Promise<SignedPayment>
  /** What another process signs at most. */
  most?: MostOf
  signedFor?: SignedFor
}

/** BIP-44: XRP has the coin type 144, coins without worth have 1. */
const paths = { mainnet: "m/44'/144'/0'/0/0", testnet: "m/44'/1'/0'/0/0" }

/** Signs with the key of a mnemonic, in this process. Loads the library on first use. Refuses an invalid mnemonic. */
export async function localSigner(mnemonic: string, network: XrplNetwork): Promise<Signer> {
  if (!validateMnemonic(mnemonic, wordlist)) throw new Error('The keystore holds no valid mnemonic.')
  const { privateKey, publicKey } = HDKey.fromMasterSeed(await mnemonicToSeed(mnemonic)).derive(paths[network])
  if (!privateKey || !publicKey) throw new Error('An account has no key.')
  const account = encodeRippleBase58(Uint8Array.of(0, ...ripemd160(sha256(publicKey))))
  return {
    account: () => Promise.resolve(account),
    sign: async ({ destination, tag, amount, fee, sequence, lastLedger }) => {
      const { encode, encodeForSigning } = await import('ripple-binary-codec')
      const { signECDSA } = await import('@scure/btc-signer/utils.js')
      const payment = {
        TransactionType: 'Payment',
        Account: account,
        Destination: destination,
        ...(tag === undefined ? {} : { DestinationTag: tag }),
        Amount: amount,
        Fee: fee,
        Flags: 0,
        Sequence: sequence,
        LastLedgerSequence: lastLedger,
        SigningPubKey: hexOf(publicKey),
      }
      const signature = signECDSA(half(hex.decode(encodeForSigning(payment).toLowerCase())), privateKey, true)
      const raw = encode({ ...payment, TxnSignature: hexOf(signature) })
      return { raw, hash: hexOf(half(Uint8Array.of(...idPrefix, ...hex.decode(raw.toLowerCase())))) }
    },
  }
}

/** `TXN` and a zero: what is hashed to the id of a transaction (xrpl.org, "Basic Data Types"). */
const idPrefix = [0x54, 0x58, 0x4e, 0x00]
/** The first half of SHA-512. */
const half = (bytes: Uint8Array): Uint8Array => sha512(bytes).slice(0, 32)
const hexOf = (bytes: Uint8Array): string => hex.encode(bytes).toUpperCase()
