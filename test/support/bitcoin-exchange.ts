import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openAccount } from '../../src/rails/bitcoin/keys.ts'
import { localSigner } from '../../src/rails/bitcoin/sign.ts'
import { useTestNetwork } from '../../src/reference/addresses/test-network.ts'
import { type BitcoinCustomer, openCustomer } from './bitcoin-customer.ts'
import { type BitcoinNode, startBitcoinNode } from './bitcoin-node.ts'
import { regtestRules } from './bitcoin-world.ts'
import { type Exchange, startExchange } from './exchange.ts'
import { signerMnemonic, type SignerProcess, startSignerProcess } from './signer-process.ts'

/** An exchange with Bitcoin on two nodes of regtest, and its keys in the process of a signer. */
export type BitcoinExchange = {
  exchange: Exchange
  signer: SignerProcess
  node: BitcoinNode
  second: BitcoinNode
  customer: BitcoinCustomer
  /** What its commands need besides the database. */
  env: { CONFIG_FILE: string; CONFIRMATIONS: string }
  stop(): Promise<void>
}

/** What a signer of such an exchange may sign: anything up to a cap for one transfer, to anybody. */
export const bitcoinPolicy = (perTransaction: string, more = ''): string => `
caps:
  - { asset: BTC-BTC, per: transaction, max: "${perTransaction}" }
  - { asset: BTC-BTC, per: P1D, max: "100" }
destinations: { classes: [customer] }
${more}`

/** Starts it with some coins in its wallet, each of which has this many satoshis. */
export async function startBitcoinExchange(
  policy: string,
  coins: readonly bigint[],
  env: Record<string, string> = {},
): Promise<BitcoinExchange> {
  const [node, second, signer] = await Promise.all([startBitcoinNode(), startBitcoinNode(), startSignerProcess(policy)])
  const customer = await openCustomer(node)
  const { rules, forms } = regtestRules
  const key = await (await localSigner(signerMnemonic, rules)).accountKey()
  const { address } = openAccount(key, rules, forms).addressAt({ branch: 1, position: 0n })
  const first = node.height() + 1
  await customer.pay(coins.map((amount) => ({ address, amount })))
  await node.mine(1)
  await second.takeFrom(node)
  node.link(second)
  second.link(node)
  const file = join(signer.folder, 'config.yaml')
  writeFileSync(
    file,
    `rails:
  - { kind: bitcoin, name: btc, nodes: ["${node.url}", "${second.url}"], network: regtest, every: PT0.2S,
      first_block: ${first} }
custody: { two_nodes_above: "0", signer: { socket: ./signer.sock } }
`,
  )
  const own = { CONFIRMATIONS: 'BTC=2', CONFIG_FILE: file }
  const exchange = await startExchange({ RATE_LIMITS: 'off', ...own, ...env })
  return {
    exchange,
    signer,
    node,
    second,
    customer,
    env: own,
    stop: async () => {
      await exchange.stop()
      await signer.remove()
      await Promise.all([node.stop(), second.stop()])
      useTestNetwork('bitcoin', undefined)
    },
  }
}

/** Does something while what waits for a block gets one, and one more. */
export async function whileMining<Done>(node: BitcoinNode, work: () => Promise<Done>): Promise<Done> {
  let isDone = false
  const working = work().finally(() => (isDone = true))
  while (!isDone) {
    if ((await node.waiting()).length > 0) await node.mine(2)
    await Promise.race([working, new Promise((resolve) => setTimeout(resolve, 200))])
  }
  return working
}
