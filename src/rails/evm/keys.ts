import { ECDH } from 'node:crypto'

import type { HDKey } from '@scure/bip32'

import type { SignedFor } from '../chain/ended.ts'
import type { MostOf } from '../keys/signer-caps.ts'
import { indicesOf } from './derivation.ts'
import type { Hex } from './node.ts'
import { callOf, type OwnAddresses, type Transfer } from './transfer.ts'

/** A signed transfer: the bytes that a node takes, and their hash on the chain. */
export type SignedTransfer = { raw: Hex; hash: Hex }

/** Our addresses, and what signs for them: keys in this process, or the process of the signer. */
export type Keys = OwnAddresses & {
  /** The same transfer always gives the same bytes (RFC 6979). */
  sign(transfer: Transfer): Promise<SignedTransfer>
  /** What another process signs at most. */
  most?: MostOf
  signedFor?: SignedFor
}

/** Public keys: the wallet that pays out, and the parent of the addresses of transactions as an xpub. */
export type PublicKeys = { hot: Hex; deposits: string }

/** Derives our keys from a mnemonic (BIP-39, BIP-32). Refuses an invalid one. Loads the library on first use. */
export async function deriveKeys(mnemonic: string): Promise<Keys & { publicKeys: PublicKeys }> {
  const { mnemonicToAccount, privateKeyToAccount } = await import('viem/accounts')
  const { bytesToHex, keccak256 } = await import('viem')
  const hot = mnemonicToAccount(mnemonic, { path: "m/44'/60'/0'/0/0" })
  const parent = mnemonicToAccount(mnemonic, { path: "m/44'/60'/1'/0" }).getHdKey()
  const publicKeys = { hot: hot.address, deposits: parent.publicExtendedKey }
  const own = await openAddresses(publicKeys)

  function depositAccount(id: bigint): ReturnType<typeof privateKeyToAccount> {
    const { privateKey } = childOf(parent, id)
    if (!privateKey) throw new Error('A deposit address has no key.')
    return privateKeyToAccount(bytesToHex(privateKey))
  }

  return {
    ...own,
    publicKeys,
    sign: async (transfer) => {
      const { chainId, nonce, gas, maxFee, priorityFee, route } = transfer
      const account = 'sweepOf' in route ? depositAccount(route.sweepOf) : hot
      const raw = await account.signTransaction({
        type: 'eip1559',
        ...callOf(own, transfer),
        chainId: toSmall(chainId),
        nonce: toSmall(nonce),
        gas,
        maxFeePerGas: maxFee,
        maxPriorityFeePerGas: priorityFee,
      })
      return { raw, hash: keccak256(raw) }
    },
  }
}

/** Our addresses, from public keys alone. Refuses a private key. Loads the libraries on first use. */
export async function openAddresses({ hot, deposits }: PublicKeys): Promise<OwnAddresses> {
  const { HDKey } = await import('@scure/bip32')
  const { publicKeyToAddress } = await import('viem/accounts')
  const parent = HDKey.fromExtendedKey(deposits)
  if (parent.privateKey) throw new Error('The key of the addresses of transactions is a private key.')
  return {
    hot,
    depositAddress: (id) => {
      const { publicKey } = childOf(parent, id)
      if (!publicKey) throw new Error('A deposit address has no key.')
      const whole = ECDH.convertKey(publicKey, 'secp256k1', undefined, 'hex', 'uncompressed')
      return publicKeyToAddress(`0x${String(whole)}`)
    },
  }
}

function childOf(parent: HDKey, id: bigint): HDKey {
  const [high, low] = indicesOf(id)
  return parent.deriveChild(high).deriveChild(low)
}

/** A new mnemonic of 256 random bits. */
export async function newMnemonic(): Promise<string> {
  const { english, generateMnemonic } = await import('viem/accounts')
  return generateMnemonic(english, 256)
}

/** A chain's id or a nonce, which fit. */
function toSmall(number: bigint): number {
  if (number < 0n || number > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('A chain id or a nonce is out of range.')
  return Number.parseInt(String(number), 10)
}
