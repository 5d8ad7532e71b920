import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import { parseAmount } from '../../src/platform/money/amount.ts'
import { createKeystore } from '../../src/rails/evm/rails.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { assetById } from '../../src/reference/catalog/asset.ts'
import { type Anvil, startAnvil, token } from '../support/anvil.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, checkOut, create, lookup, owed, seen } from '../support/journey.ts'
import { takeFees } from '../support/fee-token.ts'
import { until } from '../support/telling.ts'

const usdt = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
const password = 'a-password-for-tests'
const opening = { coins: 50n * 10n ** 18n, tokens: 10n ** 12n }

let folder = ''
let anvil: Anvil
let exchange: Exchange
let hot = ''

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cambio-evm-story-'))
  anvil = await startAnvil({ mines: true })
  ;({ hot } = await createKeystore(join(folder, 'keystore'), password))
  await anvil.layToken(usdt)
  await anvil.give(hot, opening.coins)
  for (const holder of [hot, anvil.customer]) {
    await anvil.send({ to: usdt, data: token.mint(holder, opening.tokens) })
  }
  await anvil.mine(4)
  exchange = await startExchange({
    RATE_LIMITS: 'off',
    CONFIRMATIONS: 'ETH=2',
    EVM_RPC_URLS: `ETH=${anvil.url}`,
    EVM_KEYSTORE_FILE: join(folder, 'keystore'),
    EVM_KEYSTORE_PASSWORD: password,
    EVM_SCAN_EVERY: 'PT0.2S',
  })
})
after(async () => {
  await exchange.stop()
  await anvil.stop()
  rmSync(folder, { recursive: true, force: true })
})

const units = (text: string, id: string): bigint => parseAmount(text, assetById(id) ?? assert.fail())

describe('an exchange with a real chain', () => {
  it('begins with what its wallet there holds', async () => {
    assert.equal(await bookBalance(exchange, 'held:evm-eth', 'ETH-ETH'), opening.coins)
    assert.equal(await bookBalance(exchange, 'held:evm-eth', 'USDT-ETH'), opening.tokens)
    await assertBooksHold(exchange)
  })

  it('pays a buy in coins that are on the chain', async () => {
    const address = '0x00000000000000000000000000000000C0ffee01'.toLowerCase()
    const { id } = await create(exchange, { to_currency: 'ETH', payout_info: { payout_address: address } })
    await checkOut(exchange, id)
    await exchange.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
    const record = await arrive(exchange, id, 'finished')
    assert.equal(await anvil.balance(address), units(record.to_amount ?? '', 'ETH-ETH'))
    const receipt = await anvil.ask<{ status: string; to: string }>('eth_getTransactionReceipt', hashOf(record))
    assert.deepEqual([receipt.status, receipt.to], ['0x1', address])
    await held('ETH-ETH')
    await assertBooksHold(exchange)
  })

  it('credits a sale of tokens from the chain, and nothing that only looks like them', async () => {
    const wish = { from_currency: 'USDT', from_network: 'ETH', from_amount: '60', to_currency: 'EUR' }
    const { id } = await create(exchange, wish)
    const ready = await checkOut(exchange, id)
    const [told] = await lookup<{ reference: string }>(
      exchange,
      'select reference from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1',
      [id],
    )
    const { address = '' } = { ...ready.deposit }
    assert.equal(told?.reference, address)
    await anvil.send({ to: usdt, data: token.fail(address, 60_000_000n) })
    await anvil.send({ to: usdt, data: token.transfer(address, 60_000_000n) })
    await seen(
      exchange,
      id,
      'confirming',
      ({ status_details: details, status }) => details === 'confirming' || status !== 'waiting_for_deposit',
    )
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.from_amount, '60')
    assert.equal(await owed(exchange, id, 'USDT-ETH'), 0n)
    assert.equal(await bookBalance(exchange, 'held:evm-eth', 'USDT-ETH'), opening.tokens + 60_000_000n)
    await held('USDT-ETH')
    await assertBooksHold(exchange)

    const all = async () => (await anvil.tokens(usdt, address)) === 0n && (await costs()) > 0n
    await until(all, 'the tokens to be brought to the wallet that pays')
    assert.equal(await anvil.tokens(usdt, hot), opening.tokens + 60_000_000n)
    await held('ETH-ETH')
    assert.deepEqual(await lookup(exchange, "select 1 from audit_postings where account = 'suspense'"), [])
    await assertBooksHold(exchange)
  })

  it('ends a payout of which its token keeps a part, books what left, and says how much did not arrive', async () => {
    const { ctx } = exchange.service.composition
    for (const onTop of [false, true]) {
      await takeFees(anvil, usdt, { onTop })
      const address = onTop
        ? '0x00000000000000000000000000000000c0ffee03'
        : '0x00000000000000000000000000000000c0ffee02'
      const wish = { to_currency: 'USDT', to_network: 'ETH', payout_info: { payout_address: address } }
      const { id } = await create(exchange, wish)
      await checkOut(exchange, id)
      await exchange.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
      const record = await arrive(exchange, id, 'finished')
      const amount = units(record.to_amount ?? '', 'USDT-ETH')
      const arrived = await anvil.tokens(usdt, address)
      assert.equal(arrived, onTop ? amount : amount - amount / 100n)
      await held('USDT-ETH')
      await held('ETH-ETH')
      await assertBooksHold(exchange)
      const found = (await reconcile(ctx)).breaks.filter(({ key }) => key === `evm-eth out ${hashOf(record)}`)
      assert.deepEqual(
        found.map(({ kind, cause, amount: missing }) => [kind, cause, missing]),
        onTop ? [] : [['amount', 'other_amount', arrived - amount]],
      )
      assert.deepEqual(await lookup(exchange, `select 1 from evm_sends where state = 'open'`), [])
    }
    await anvil.layToken(usdt)
  })

  it('tries a payout again when its refusal is over, not when jobs that fail are', async () => {
    const half = exchange.service.composition.ctx.rails.payout('evm-eth')?.payout ?? assert.fail()
    const { submit, progress } = half
    const refusedUntil = new Date(Date.now() + 600_000)
    Object.assign(half, {
      submit: () => Promise.reject(new Refusal('CONFLICT', 'The signer refused a payout.')),
      progress: () =>
        Promise.resolve({ state: 'waiting', refusal: { code: 'cap', message: 'A cap is reached.', refusedUntil } }),
    })
    const { id } = await create(exchange, {
      to_currency: 'ETH',
      payout_info: { payout_address: '0x00000000000000000000000000000000c0ffee04' },
    })
    await checkOut(exchange, id)
    await exchange.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
    const due = `select run_at, attempts from jobs where kind = 'plan.due' and run_at > now() + interval '5 seconds' and lease_until is null`
    const jobs = async () => lookup<{ run_at: Date; attempts: number }>(exchange, due)
    await until(async () => (await jobs()).length > 0, 'the payout to wait')
    const [job] = await jobs()
    assert.deepEqual(
      [job?.attempts, Math.round(((job?.run_at.getTime() ?? 0) - refusedUntil.getTime()) / 1_000)],
      [0, 0],
    )
    Object.assign(half, { submit, progress })
    await lookup(exchange, `update jobs set run_at = now() where kind = 'plan.due' returning 1`, [])
    await arrive(exchange, id, 'finished')
  })

  it('keeps what nobody was asked to send in suspense', async () => {
    await anvil.send({ to: hot, value: 7n })
    await until(async () => (await bookBalance(exchange, 'suspense', 'ETH-ETH')) === -7n, 'the suspense')
    await held('ETH-ETH')
    await assertBooksHold(exchange)
  })
})

/** What moving money between our own wallets has cost. */
async function costs(): Promise<bigint> {
  const [sum] = await lookup<{ amount: string }>(
    exchange,
    "select coalesce(sum(amount), 0) as amount from postings join entries on entries.id = entry_id where kind = 'wallet_cost'",
  )
  return BigInt(sum?.amount ?? '0')
}

const hashOf = (record: object): string => {
  const found = /0x[0-9a-f]{64}/.exec(JSON.stringify(record))
  assert(found, 'the payout has a hash')
  return found[0]
}

/** The books say what the chain says. */
async function held(asset: string): Promise<void> {
  const rail = exchange.service.composition.ctx.rails.named('evm-eth')
  assert(rail)
  await until(
    async () => (await rail.balance(asset)) === (await bookBalance(exchange, 'held:evm-eth', asset)),
    `the books to be as ${asset} on the chain`,
  )
}
