import { indicesOf } from './derivation.ts'
import type { Hex } from './node.ts'

/** A transfer before it is signed (EIP-1559). Amounts are in wei. */
export type Unsigned = {
  chainId: bigint
  nonce: bigint
  to: Hex
  value: bigint
  data: Hex
  gas: bigint
  maxFee: bigint
  priorityFee: bigint
}

/** A signed transfer: the bytes that a node takes, and their hash on the chain. */
export type SignedTransfer = { raw: Hex; hash: Hex }

/** The keys of our wallets on every EVM chain. Addresses use the EIP-55 checksum format. */
export type Keys = {
  /** The wallet that pays out: m/44'/60'/0'/0/0, the first address of the mnemonic in every wallet program. */
  hot: Hex
  /** The address of one transaction: m/44'/60'/1'/0/high/low, where high and low are our id in base 2^31. */
  depositAddress(id: bigint): Hex
  /** Signs for the hot wallet. The same transfer always gives the same bytes (RFC 6979). */
  signHot(transfer: Unsigned): Promise<SignedTransfer>
  /** Signs for the address of one transaction, in the same way. */
  signDeposit(id: bigint, transfer: Unsigned): Promise<SignedTransfer>
}

/** Derives our keys from a mnemonic (BIP-39, BIP-32). Refuses an invalid one. Loads the library on first use. */
export async function deriveKeys(mnemonic: string): Promise<Keys> {
  const { hdKeyToAccount, mnemonicToAccount, privateKeyToAccount } = await import('viem/accounts')
  const { bytesToHex, keccak256 } = await import('viem')
  const hot = mnemonicToAccount(mnemonic, { path: "m/44'/60'/0'/0/0" })
  const parent = mnemonicToAccount(mnemonic, { path: "m/44'/60'/1'/0" }).getHdKey()

  function depositAccount(id: bigint): ReturnType<typeof privateKeyToAccount> {
    const [high, low] = indicesOf(id)
    const { privateKey } = parent.deriveChild(high).deriveChild(low)
    if (!privateKey) throw new Error('A deposit address has no key.')
    return privateKeyToAccount(bytesToHex(privateKey))
  }
  async function sign(
    account: Pick<ReturnType<typeof hdKeyToAccount>, 'signTransaction'>,
    { chainId, nonce, to, value, data, gas, maxFee, priorityFee }: Unsigned,
  ): Promise<SignedTransfer> {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: toSmall(chainId),
      nonce: toSmall(nonce),
      to,
      value,
      data,
      gas,
      maxFeePerGas: maxFee,
      maxPriorityFeePerGas: priorityFee,
    })
    return { raw, hash: keccak256(raw) }
  }

  return {
    hot: hot.address,
    depositAddress: (id) => depositAccount(id).address,
    signHot: (transfer) => sign(hot, transfer),
    signDeposit: (id, transfer) => sign(depositAccount(id), transfer),
  }
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
