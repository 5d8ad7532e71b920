import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { parseAmount } from '../../src/platform/money/amount.ts'
import { stopwatch, systemClock } from '../../src/platform/lib/clock.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import { runSigner } from '../../src/signer/open.ts'
import { signerFolder } from '../support/signer-folder.ts'
import { localSigner } from '../../src/rails/bitcoin/sign.ts'
import { openAccount } from '../../src/rails/bitcoin/keys.ts'
import { assetById } from '../../src/reference/catalog/asset.ts'
import { useTestNetwork } from '../../src/reference/addresses/test-network.ts'
import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { type BitcoinCustomer, openCustomer } from '../support/bitcoin-customer.ts'
import { type BitcoinNode, startBitcoinNode } from '../support/bitcoin-node.ts'
import { regtestRules } from '../support/bitcoin-world.ts'
import { openSignerClient } from '../../src/rails/keys/signer-client.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, checkOut, create, owed, readyToPay, seen } from '../support/journey.ts'
import { until } from '../support/telling.ts'

const coin = 'BTC-BTC'
const funds = 5n * 10n ** 8n
const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

/** The keys are in the signer: what it signs is what these journeys may pay out. */
const policy = `
caps:
  - { asset: BTC-BTC, per: transaction, max: "5" }
  - { asset: BTC-BTC, per: P1D, max: "100" }
destinations: { classes: [customer] }
`

let folder = ''
let signerProcess: { stop(): Promise<void> }
let node: BitcoinNode
let second: BitcoinNode
let customer: BitcoinCustomer
let exchange: Exchange
let wallet = ''
let mining = true
let miner = Promise.resolve()

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cambio-bitcoin-story-'))
  ;[node, second] = await Promise.all([startBitcoinNode(), startBitcoinNode()])
  customer = await openCustomer(node)
  const { rules, forms } = regtestRules
  const signer = await localSigner(mnemonic, rules)
  wallet = openAccount(await signer.accountKey(), rules, forms).addressAt({ branch: 1, position: 0n }).address
  const first = node.height() + 1
  await customer.pay([1n, 2n, 3n, 4n, 5n].map(() => ({ address: wallet, amount: funds / 5n })))
  await node.mine(1)
  await second.takeFrom(node)
  node.link(second)
  signerProcess = await runSigner(await signerFolder(folder, mnemonic, policy), {
    clock: systemClock(),
    log: silentLog,
  })
  writeFileSync(
    join(folder, 'config.yaml'),
    `rails:
  - { kind: bitcoin, name: btc, nodes: ["${node.url}", "${second.url}"], network: regtest, every: PT0.2S,
      first_block: ${first} }
custody: { two_nodes_above: "0", signer: { socket: ./signer.sock } }
`,
  )
  exchange = await startExchange({
    RATE_LIMITS: 'off',
    CONFIRMATIONS: 'BTC=2',
    CONFIG_FILE: join(folder, 'config.yaml'),
  })
  const mine = async (): Promise<void> => {
    while (mining) {
      if ((await node.waiting()).length > 0) await node.mine(2)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  miner = mine()
})
after(async () => {
  mining = false
  await miner
  await exchange.stop()
  await signerProcess.stop()
  await Promise.all([node.stop(), second.stop()])
  useTestNetwork('bitcoin', undefined)
  rmSync(folder, { recursive: true, force: true })
})

const units = (text: string): bigint => parseAmount(text, assetById(coin) ?? assert.fail())
const fresh = (seed: string): string => makeSandboxAddress('bitcoin', Buffer.from(seed))

/** What an address was paid on the chain, by every block that the node has. */
async function received(address: string, txid: string): Promise<bigint> {
  const { vout } = await node.ask<{ vout: { value: number; scriptPubKey: { addresses: string[] } }[] }>(
    'decoderawtransaction',
    await node.raw(txid),
  )
  return vout
    .filter(({ scriptPubKey }) => scriptPubKey.addresses.includes(address))
    .reduce((sum, { value }) => sum + BigInt(Math.round(value * 1e8)), 0n)
}

const hashIn = (record: object): string =>
  /"([0-9a-f]{64})"/.exec(JSON.stringify(record))?.[1] ?? assert.fail('the payout has no hash')

/** The books say what the chain says. */
async function held(): Promise<void> {
  const rail = exchange.service.composition.ctx.rails.named('btc')
  assert(rail)
  await until(
    async () => (await rail.balance(coin)) === (await bookBalance(exchange, 'held:btc', coin)),
    'the books to be as on the chain',
  )
  await assertBooksHold(exchange)
}

describe('an exchange with Bitcoin', () => {
  it('begins with what its wallet has received since the block that the settings name', async () => {
    assert.equal(await bookBalance(exchange, 'held:btc', coin), funds)
    await assertBooksHold(exchange)
  })

  it('pays a buy in coins that are on the chain, to an address of regtest only', async () => {
    const refused = await exchange.api('/v1/transaction', {
      body: {
        from_amount: '100',
        from_currency: 'EUR',
        to_currency: 'BTC',
        payout_info: { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
      },
    })
    assert.equal(refused.status, 400)
    const address = fresh('buy')
    const { id } = await create(exchange, { to_currency: 'BTC', payout_info: { payout_address: address } })
    await checkOut(exchange, id)
    await exchange.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
    const record = await arrive(exchange, id, 'finished')
    assert.equal(await received(address, hashIn(record)), units(record.to_amount ?? ''))
    await held()
  })

  it('credits a sale once it is final, and shows it as soon as it waits for a block', async () => {
    const { id } = await create(exchange, { from_currency: 'BTC', from_amount: '0.01', to_currency: 'EUR' })
    const { address = '' } = { ...(await checkOut(exchange, id)).deposit }
    assert.match(address, /^bcrt1q/)
    await customer.pay(address, 1_000_000n)
    await seen(
      exchange,
      id,
      'confirming',
      ({ status_details: details, status }) => details === 'confirming' || status !== 'waiting_for_deposit',
    )
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.from_amount, '0.01')
    assert.equal(await owed(exchange, id, coin), 0n)
    await held()
  })

  it('swaps coins from the chain for others', async () => {
    const body = { from_currency: 'BTC', from_amount: '0.02', to_currency: 'ETH' }
    const { id } = await create(exchange, body)
    const { address = '' } = { ...(await checkOut(exchange, id)).deposit }
    await customer.pay(address, 2_000_000n)
    await arrive(exchange, id, 'finished')
    await held()
  })

  it('pays many buys in few transfers, and shares the fee to the last satoshi', async () => {
    const orders = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const payout = { payout_address: fresh(`batch ${index}`) }
        return (await readyToPay(exchange, { to_currency: 'BTC', payout_info: payout })).id
      }),
    )
    await Promise.all(orders.map((id) => exchange.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })))
    const hashes = new Set<string>()
    for (const id of orders) hashes.add(hashIn(await arrive(exchange, id, 'finished')))
    assert(hashes.size < orders.length, `${hashes.size} transfers`)
    await held()
  })

  // The last one: the signer resumes only by approvers, and this one has none.
  it('halts the signer when everything is halted', async (t) => {
    const { cambio } = commandLineOf(exchange)
    const signer = openSignerClient(join(folder, 'signer.sock'))
    const statusOf = () => signer.call<{ halted: string | null }>('/status', {})
    assert.equal((await statusOf()).halted, null)
    const { exitCode, err } = await cambio('halt', 'all', '--reason', 'a drill')
    assert.equal(exitCode, 0, err)
    const elapsed = stopwatch()
    await until(async () => (await statusOf()).halted !== null, 'the signer to be halted')
    t.diagnostic(`${Math.round(elapsed())} ms after the command`)
  })
})
