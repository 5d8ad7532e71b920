import { hex } from '@scure/base'
import type { HDKey } from '@scure/bip32'
import type { Transaction } from '@scure/btc-signer'

import type { Signer, SignInput, SignPlan } from './keys.ts'
import { deriveAccount, indexOf } from './keys.ts'
import type { ChainRules } from './networks.ts'

/** SIGHASH_ALL, and on Bitcoin Cash the fork's id with it. */
const all = 0x01
const forkId = 0x40

/** Signs with the keys of a mnemonic, in this process. Loads the library on first use. */
export async function localSigner(mnemonic: string, rules: ChainRules): Promise<Signer> {
  const account = await deriveAccount(mnemonic, rules)
  return {
    accountKey: () => Promise.resolve(account.publicExtendedKey),
    sign: (plan) =>
      signTransfer(
        plan,
        plan.inputs.map((input) => keyOf(account, input)),
        rules,
      ),
  }
}

/** The keys of one address. */
export type KeyPair = { privateKey: Uint8Array; publicKey: Uint8Array }

/** Signs a transfer with one key for each input. */
export async function signTransfer(
  plan: SignPlan,
  keys: readonly KeyPair[],
  rules: ChainRules,
): Promise<{ raw: string; txid: string }> {
  const { p2pkh, p2wpkh, Transaction: Draft } = await import('@scure/btc-signer')
  // Outputs are checked where payouts are accepted: any script that an address can name is paid.
  const transfer = new Draft({ version: 1, allowUnknownOutputs: true, allowLegacyWitnessUtxo: true })
  for (const [index, { txid, vout, amount }] of plan.inputs.entries()) {
    const publicKey = keys[index]?.publicKey ?? new Uint8Array()
    const { script } = rules.hasWitness ? p2wpkh(publicKey) : p2pkh(publicKey)
    const sequence = rules.mustSignal ? 0xfffffffd : 0xffffffff
    transfer.addInput({ txid, index: vout, sequence, witnessUtxo: { script, amount } })
  }
  for (const { script, amount } of plan.outputs) transfer.addOutput({ script: hex.decode(script), amount })
  if (rules.hasForkId) return signForked(transfer, plan, keys)
  for (const [index, { privateKey }] of keys.entries()) transfer.signIdx(privateKey, index)
  transfer.finalize()
  return { raw: transfer.hex, txid: transfer.id }
}

/** Signs for Bitcoin Cash: the digest of BIP-143 over P2PKH outputs, with the fork's id (replay-protected-sighash.md). */
async function signForked(
  transfer: Transaction,
  { inputs }: SignPlan,
  keys: readonly KeyPair[],
): Promise<{ raw: string; txid: string }> {
  const { p2pkh } = await import('@scure/btc-signer')
  const { concatBytes, signECDSA } = await import('@scure/btc-signer/utils.js')
  const scripts = inputs.map(({ amount }, index) => {
    const { privateKey, publicKey } = keys[index] ?? missingKey()
    const digest = transfer.preimageWitnessV0(index, p2pkh(publicKey).script, all | forkId, amount)
    const signature = concatBytes(signECDSA(digest, privateKey), Uint8Array.of(all | forkId))
    return concatBytes(Uint8Array.of(signature.length), signature, Uint8Array.of(publicKey.length), publicKey)
  })
  for (const [index, finalScriptSig] of scripts.entries()) transfer.updateInput(index, { finalScriptSig }, true)
  return { raw: transfer.hex, txid: transfer.id }
}

function missingKey(): never {
  throw new Error('An input has no key.')
}

function keyOf(account: HDKey, { branch, position }: SignInput): KeyPair {
  const { privateKey, publicKey } = account.deriveChild(branch).deriveChild(indexOf(position))
  if (!privateKey || !publicKey) throw new Error('An address has no key.')
  return { privateKey, publicKey }
}
