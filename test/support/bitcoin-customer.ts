import { p2pkh, p2wpkh, Transaction } from '@scure/btc-signer'
import { pubECDSA, sha256 } from '@scure/btc-signer/utils.js'

import type { BitcoinNode } from './bitcoin-node.ts'

const regtest = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef }

/** How a payment differs: the fee, what it spends, and whether a second wallet pays along. */
export type PayOptions = { fee?: bigint; spends?: Output; pooled?: boolean; change?: string }

/** An output of a customer. */
export type Output = { txid: string; index: number; amount: bigint }

/** Somebody outside with coins. */
export type BitcoinCustomer = {
  address: string
  /** Sends coins, and gives the transfer's id with what it spent; it is in the next block. */
  pay(
    to: string | { address: string; amount: bigint }[],
    amount?: bigint,
    options?: PayOptions,
  ): Promise<{ txid: string; spent: Output; raw: string }>
}

type Wallet = { privateKey: Uint8Array; address: string; script: Uint8Array; outputs: Output[] }

function walletOf(seed: string, isLegacy: boolean): Wallet {
  const privateKey = sha256(new TextEncoder().encode(seed))
  const { address, script } = (isLegacy ? p2pkh : p2wpkh)(pubECDSA(privateKey), regtest)
  return { privateKey, address, script, outputs: [] }
}

/**
 * Makes a customer with coins in many outputs, on a chain where segregated witness is active. `scriptOf` reads addresses that are not
 * those of Bitcoin's regtest; `isLegacy`: their own coins are without segregated witness.
 */
export async function openCustomer(
  node: BitcoinNode,
  {
    seed = 'customer',
    isLegacy = false,
    scriptOf,
  }: { seed?: string; isLegacy?: boolean; scriptOf?: (address: string) => string | undefined } = {},
): Promise<BitcoinCustomer> {
  const [own, other] = [walletOf(seed, isLegacy), walletOf(`${seed} 2`, isLegacy)]
  const earn = async (wallet: Wallet, blocks: number): Promise<void> => {
    const from = node.height()
    await node.mine(blocks, wallet.address)
    for (let height = from + 1; height <= from + blocks; height += 1) {
      const hash = await node.ask<string>('getblockhash', height)
      const { tx } = await node.ask<{ tx: string[] }>('getblock', hash, true)
      const [txid = ''] = tx
      const raw = await node.raw(txid)
      const { amount = 0n } = Transaction.fromRaw(Buffer.from(raw, 'hex'), {
        allowUnknownInputs: true,
        allowUnknownOutputs: true,
        disableScriptCheck: true,
      }).getOutput(0)
      wallet.outputs.push({ txid, index: 0, amount })
    }
  }
  await earn(own, 60)
  await earn(other, 5)
  await node.mine(440)

  return {
    address: own.address,
    pay: async (to, amount = 0n, { fee = 2_000n, spends, pooled = false, change = own.address } = {}) => {
      const first = spends ?? own.outputs.shift()
      const second = pooled ? other.outputs.shift() : undefined
      if (!first || (pooled && !second)) throw new Error('The customer has no coins left.')
      const payments = typeof to === 'string' ? [{ address: to, amount }] : to
      const transfer = new Transaction({ allowLegacyWitnessUtxo: true })
      for (const [output, wallet] of [
        [first, own],
        [second, other],
      ] as const) {
        if (output) {
          const { txid, index, amount: held } = output
          transfer.addInput({ txid, index, sequence: 0xfffffffd, witnessUtxo: { script: wallet.script, amount: held } })
        }
      }
      for (const one of payments) {
        const script = scriptOf?.(one.address)
        if (script === undefined) transfer.addOutputAddress(one.address, one.amount, regtest)
        else transfer.addOutput({ script: Buffer.from(script, 'hex'), amount: one.amount })
      }
      const paid = payments.reduce((sum, one) => sum + one.amount, 0n)
      transfer.addOutputAddress(change, first.amount + (second?.amount ?? 0n) - paid - fee, regtest)
      transfer.signIdx(own.privateKey, 0)
      if (second) transfer.signIdx(other.privateKey, 1)
      transfer.finalize()
      await node.ask('sendrawtransaction', transfer.hex)
      if (!spends) own.outputs.push({ txid: transfer.id, index: payments.length, amount: first.amount - paid - fee })
      return { txid: transfer.id, spent: first, raw: transfer.hex }
    },
  }
}
