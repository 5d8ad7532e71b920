import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { parseAmount } from '../../src/platform/money/amount.ts'
import { stopwatch } from '../../src/platform/lib/clock.ts'
import { assetById } from '../../src/reference/catalog/asset.ts'
import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import type { BitcoinCustomer } from '../support/bitcoin-customer.ts'
import { type BitcoinExchange, bitcoinPolicy, startBitcoinExchange, whileMining } from '../support/bitcoin-exchange.ts'
import type { BitcoinNode } from '../support/bitcoin-node.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { commandLineOf } from '../support/command.ts'
import type { Exchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, checkOut, create, owed, readyToPay, seen } from '../support/journey.ts'
import type { SignerProcess } from '../support/signer-process.ts'
import { formSender } from '../support/send-forms.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

const coin = 'BTC-BTC'
const funds = 5n * 10n ** 8n
let signer: SignerProcess
let node: BitcoinNode
let customer: BitcoinCustomer
let exchange: Exchange
let opened: BitcoinExchange
let mining = true
let miner = Promise.resolve()

before(async () => {
  opened = await startBitcoinExchange(
    bitcoinPolicy('1'),
    [1n, 2n, 3n, 4n, 5n].map(() => funds / 5n),
  )
  ;({ exchange, signer, node, customer } = opened)
  miner = whileMining(node, async () => {
    while (mining) await new Promise((resolve) => setTimeout(resolve, 200))
  })
})
after(async () => {
  mining = false
  await miner
  await opened.stop()
})

const units = (text: string): bigint => parseAmount(text, assetById(coin) ?? assert.fail())
const byCommand = () => commandLineOf(exchange, opened.env)
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

  it('reads the chain again from a block: what was credited stays, and the audit says who asked', async () => {
    const { cambio, told } = byCommand()
    const args = ['chain', 'reread', 'btc', '--reason', 'a fork of the 3rd', '--from']
    const from = String(node.height() - 2)
    assert.deepEqual(await told(...args, from), { network: 'BTC', from })
    await held()
    const [entry] = await told<{ action: string; subject: string; after: object }[]>('audit', 'list', '--limit', '1')
    assert.deepEqual(
      [entry?.action, entry?.subject, entry?.after],
      ['chain.reread', 'chain:BTC', { from, reason: 'a fork of the 3rd' }],
    )
    for (const [wrong, why] of [
      ['9'.repeat(15), /The node has no block/],
      ['1', /was followed from block/],
      ['tomorrow', /whole number/],
    ] as const) {
      const { exitCode, err } = await cambio(...args, wrong)
      assert.notEqual(exitCode, 0)
      assert.match(err, why)
    }
    assert.match((await cambio(...args.with(2, 'eth'), from)).err, /There is no node for ETH/)
  })

  it('lets one above the cap of the signer keep back nobody, says why it waits, and lets two operators end it', async () => {
    const { cambio } = byCommand()
    const json = async (...args: string[]) => {
      const { exitCode, out, err } = await cambio(...args, '--json')
      assert.equal(exitCode, 0, err)
      return JSON.parse(out) as Record<string, unknown> & Record<string, unknown>[]
    }
    const large = await readyToPay(exchange, {
      from_amount: '4000',
      to_currency: 'BTC',
      payout_info: { payout_address: fresh('large') },
    })
    await signer.kill('SIGTERM')
    await signer.start(bitcoinPolicy('0.02'))
    await exchange.api(`/v1/sandbox/transaction/${large.id}/deposit`, { body: {} })
    const own = async () => (await json('payout', 'list')).find((row) => row.transaction_id === large.id)
    await until(async () => (await own())?.state === 'planned', 'the payout to be prepared')
    const payout = String((await own())?.id)
    await until(async () => (await json('payout', 'show', payout)).refusal !== null, 'the signer to refuse it')
    const shown = await json('payout', 'show', payout)
    assert.equal(shown.state, 'waiting')
    assert.equal((shown.refusal as { code?: string } | null)?.code, 'cap')
    assert.match(String(shown.refused_until), /^20\d\d-/)

    const small = await readyToPay(exchange, { to_currency: 'BTC', payout_info: { payout_address: fresh('small') } })
    await exchange.api(`/v1/sandbox/transaction/${small.id}/deposit`, { body: {} })
    await arrive(exchange, small.id, 'finished')

    const { ctx } = exchange.service.composition
    await makeOperators(exchange)
    const file = join(signer.folder, 'finance.token')
    writeFileSync(file, (await createToken(ctx, 'finance@example.com', 'test')).text, { mode: 0o600 })
    const asked = await json('payout', 'cancel', payout, '--reason', 'above the cap', '--token-file', file)
    assert.equal(asked.ended, false)
    const browser = staffBrowser(() => exchange)
    const admin = await browser.as('admin')
    assert.match((await browser.ask('/console', { cookie: admin })).body, /A colleague wants to end a payment of /)
    const end = { action: 'cancel-payout', about: payout, reason: 'above the cap' }
    assert.match(await formSender(browser).send(`/console/orders/${large.id}`, admin, end), /It is ended/)
    assert.equal((await json('payout', 'show', payout)).state, 'never')
    await until(async () => (await own()) === undefined, 'the payout to be over')
    await held()
  })

  it('does not offer what the caps of the signer cannot pay, and doctor says so, until they are raised', async () => {
    const { cambio } = byCommand()
    const caps = async (): Promise<{ state: string; message: string } | undefined> => {
      const { out } = await cambio('doctor', '--json')
      const { checks } = JSON.parse(out) as { checks: { check: string; state: string; message: string }[] }
      return checks.find(({ check }) => check === 'signer_caps')
    }
    const largest = async (): Promise<number> => {
      return (await exchange.api<{ max: number }>('/v1/market-info/min-max-range/eur_btc')).body.max
    }
    let before = 0
    // The service may not have asked the signer since its last restart.
    await until(async () => (before = await largest()) < 5_000, 'the caps to bound what is offered')
    const found = await caps()
    assert.equal(found?.state, 'warn')
    assert.match(found.message, /not offered: 0\.019 of \d+\.\d+ BTC/)
    await signer.kill('SIGTERM')
    await signer.start(bitcoinPolicy('100'))
    await until(async () => (await largest()) > before * 2, 'larger orders to be offered')
    assert.deepEqual(await caps(), {
      check: 'signer_caps',
      state: 'ok',
      message: 'They allow the largest orders of BTC.',
    })
  })

  // The last one: the signer resumes only by approvers, and this one has none.
  it('halts the signer when everything is halted', async (t) => {
    const { cambio } = commandLineOf(exchange)
    const statusOf = () => signer.client.call<{ halted: string | null }>('/status', {})
    assert.equal((await statusOf()).halted, null)
    const { exitCode, err } = await cambio('halt', 'all', '--reason', 'a drill')
    assert.equal(exitCode, 0, err)
    const elapsed = stopwatch()
    await until(async () => (await statusOf()).halted !== null, 'the signer to be halted')
    t.diagnostic(`${Math.round(elapsed())} ms after the command`)
  })
})
