import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import {
  bankAccount,
  type Body,
  type Calls,
  callsOf,
  callsOfAnother,
  ibanOf,
  made,
  problemOf,
  wallet,
  walletOf,
} from '../support/b2b.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'

describe('B2B payout addresses', () => {
  let exchange: Exchange
  let ours: Calls
  let theirs: Calls
  let cambio: CommandLine['told']
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1,ETH=1,XRP=1' })
    cambio = commandLineOf(exchange).told
    ours = callsOf(exchange)
    theirs = await callsOfAnother(exchange)
  })
  after(() => exchange.stop())

  describe('a bank account', () => {
    it('is registered once: 201, and 200 with the same record when it is added again', async () => {
      const body = bankAccount('once', { label: 'Main' })
      const first = await ours.addBank(body)
      assert.equal(first.status, 201, JSON.stringify(first.body))
      const again = ibanOf('once').replace(/(.{4})/g, '$1 ')
      const second = await ours.addBank(
        bankAccount('once', { address: { account_name: 'Treasury GmbH', account_number: again } }),
      )
      assert.equal(second.status, 200)
      assert.deepEqual(second.body, first.body)
      assert.deepEqual(
        Object.keys(first.body).toSorted(),
        'account_number active_from created_at currency id label network payment_category status type'.split(' '),
      )
      const { type, label, status, currency, network } = first.body
      assert.deepEqual([type, label, status, currency, network], ['bank_account', 'Main', 'active', 'EUR', 'EUR'])
    })

    it('added by many at once is one record', async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => ours.addBank(bankAccount('at once'))))
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      assert.equal(answers.filter(({ status }) => status === 200).length, 11)
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
    })

    it('of our own is refused', async () => {
      await made(ours.addWallet(wallet('own account')))
      const record = await made(ours.order({ payout_account_address: walletOf('bitcoin', 'own account') }))
      const { account_number: account = '', swift = '' } = record.deposit_bank ?? {}
      const address = { account_name: 'Treasury GmbH', account_number: account, swift }
      const told = await ours.addBank(bankAccount('own', { address }))
      assert.deepEqual(problemOf(told), [400, 'BAD_REQUEST', 'address.account_number'])
    })

    it('is never shown whole', async () => {
      const { body } = await ours.addBank(bankAccount('masked'))
      const iban = ibanOf('masked')
      assert.equal(
        'account_number' in body && body.account_number,
        `${iban.slice(0, 4)}${'*'.repeat(14)}${iban.slice(-4)}`,
      )
      assert.ok(!JSON.stringify(await ours.addresses()).includes(iban))
    })

    it('is really checked: IBAN, BIC, holder and intermediary, each with its path', async () => {
      const iban = ibanOf('checked')
      const wrong = iban.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
      const address = { account_name: 'Treasury GmbH', account_number: iban, swift: 'SBBKDEF0XXX' }
      const intermediary = { bank_name: 'Bank', bank_address: 'Road 1', bank_country: 'US', swift_bic_number: 'NOBIC' }
      const cases: [Body, string][] = [
        [{ address: { ...address, account_number: wrong } }, 'address.account_number'],
        [{ address: { ...address, account_number: '' } }, 'address.account_number'],
        [{ address: { ...address, swift: 'SBBKUS30XXX' } }, 'address.swift'],
        [{ address: { ...address, swift: 'NOBIC' } }, 'address.swift'],
        [{ address: { ...address, account_name: '' } }, 'address.account_name'],
        [{ address: { ...address, account_name: '4242 4242 4242 4242' } }, 'address.account_name'],
        [{ address: { ...address, account_number: '4242 4242 4242 4242' } }, 'address.account_number'],
        [{ address: 'somewhere' }, 'address'],
        [{ payment_category: 'VISA_MC' }, 'payment_category'],
        [{ payment_category: 'CRYPTO' }, 'payment_category'],
        [{ payment_category: 'SWIFT', currency: 'EUR' }, 'currency'],
        [{ intermediary_address: intermediary }, 'intermediary_address.swift_bic_number'],
        [{ label: '4242424242424242' }, 'label'],
      ]
      for (const [change, path] of cases) {
        const told = await ours.addBank(bankAccount('checked', change))
        assert.deepEqual(problemOf(told), [400, 'BAD_REQUEST', path], JSON.stringify(change))
      }
      const good = { ...intermediary, swift_bic_number: 'SBBKUS30XXX' }
      const foreign = { account_name: 'Treasury Inc', account_number: '000123456789', swift: 'SBBKUS30XXX' }
      const swift = { payment_category: 'SWIFT', address: foreign, intermediary_address: good }
      assert.equal((await ours.addBank(swift)).status, 201)
      const { body } = await ours.order({
        from_currency: 'BTC',
        from_amount: '0.5',
        to_currency: 'USD',
        payout_account_address: '0001 2345 6789',
      })
      assert.equal(body.payout_payment_category, 'SWIFT', JSON.stringify(body))
    })
  })

  describe('a wallet', () => {
    it('is registered once, for its coin on its network', async () => {
      const address = walletOf('evm', 'one')
      const first = await ours.addWallet({ currency: 'usdt', network: 'eth', wallet_address: address.toLowerCase() })
      assert.equal(first.status, 201, JSON.stringify(first.body))
      const again = await ours.addWallet({ currency: 'USDT', network: 'ETH', wallet_address: address })
      assert.deepEqual([again.status, again.body], [200, first.body])
      const other = await ours.addWallet({ currency: 'ETH', network: 'ETH', wallet_address: address })
      assert.equal(other.status, 201)
      assert.notEqual(other.body.id, first.body.id)
      assert.deepEqual(
        Object.keys(first.body).toSorted(),
        'active_from address created_at currency extra_id id label network payment_category status type'.split(' '),
      )
      const { crypto_wallets: wallets } = await ours.addresses()
      assert.ok(!(await theirs.addresses()).crypto_wallets.some(({ id }) => id === first.body.id))
      assert.deepEqual(
        wallets.map(({ id }) => id).filter((id) => id === first.body.id || id === other.body.id),
        [first.body.id, other.body.id],
      )
    })

    it('is really checked: the address, the memo, the network, what is our own', async () => {
      const xrp = { currency: 'XRP', network: 'XRP', wallet_address: walletOf('xrp', 'checked') }
      const cases: [Body, string][] = [
        [wallet('checked', { wallet_address: `${walletOf('bitcoin', 'checked')}q` }), 'wallet_address'],
        [wallet('checked', { wallet_address: '' }), 'wallet_address'],
        [wallet('checked', { wallet_address: '4242424242424242' }), 'wallet_address'],
        [wallet('checked', { currency: 'EUR' }), 'currency'],
        [wallet('checked', { currency: 'NOTHING' }), 'currency'],
        [wallet('checked', { network: 'TRX' }), 'network'],
        [{ ...xrp, wallet_address: await ownAddress(), extra_id: '7' }, 'wallet_address'],
        [{ ...xrp, extra_id: 'no tag' }, 'extra_id'],
      ]
      for (const [body, path] of cases) {
        const told = await ours.addWallet(body)
        assert.deepEqual(problemOf(told), [400, 'BAD_REQUEST', path], JSON.stringify([body, told.body]))
      }
    })

    it('that only looks like a registered one is refused until it is confirmed', async () => {
      const known = walletOf('evm', 'looks')
      assert.equal((await ours.addWallet({ currency: 'ETH', wallet_address: known.toLowerCase() })).status, 201)
      const middle = known.toLowerCase().slice(6, -6)
      const turned = middle.startsWith('0') ? `1${middle.slice(1)}` : `0${middle.slice(1)}`
      const poisoned = `${known.slice(0, 6)}${turned}${known.slice(-6)}`.toLowerCase()
      const body = { currency: 'ETH', wallet_address: poisoned }
      const told = await ours.addWallet(body)
      assert.deepEqual(problemOf(told), [400, 'BAD_REQUEST', 'wallet_address'])
      assert.equal(told.body.errors[0]?.code, 'RESEMBLES_EARLIER')
      assert.equal((await theirs.addWallet(body)).status, 201, 'another partner has registered nothing like it')
      assert.equal((await ours.addWallet({ ...body, confirm_resembling: true })).status, 201)
    })
  })

  /** The address of the exchange's own wallet on the XRP Ledger. */
  async function ownAddress(): Promise<string> {
    const { body } = await ours.addBank(bankAccount('own'))
    const order = { from_currency: 'XRP', from_amount: '5000', to_currency: 'EUR', payout_address_id: body.id }
    return (await made(ours.order(order))).deposit?.address ?? assert.fail()
  }

  it('keeps no account, address, holder or label in clear', async () => {
    const name = 'Unmistakable Holdings'
    await made(
      ours.addBank(
        bankAccount('clear', {
          label: 'Unmistakable label',
          address: { account_name: name, account_number: ibanOf('clear') },
        }),
      ),
    )
    await made(ours.addWallet(wallet('clear', { label: 'Unmistakable label' })))
    const rows = await lookup<{ row: string }>(
      exchange,
      `select row_to_json(payout_addresses)::text as row from payout_addresses
       union all select row_to_json(audit)::text from audit union all select row_to_json(jobs)::text from jobs`,
    )
    const text = rows.map(({ row }) => row).join('\n')
    for (const secret of [ibanOf('clear'), walletOf('bitcoin', 'clear'), 'Unmistakable']) {
      const hex = Buffer.from(secret).toString('hex')
      assert.ok(!text.includes(secret) && !text.includes(hex), secret)
    }
  })

  describe('their list', () => {
    type Page = {
      bank_accounts: { id: string; created_at: string }[]
      crypto_wallets: { id: string; created_at: string }[]
      pagination: { limit: number; offset: number; has_more: boolean; next_cursor: string | null }
    }
    let paged: Calls
    const page = async (query = ''): Promise<Page> => {
      const { status, body } = await paged.call<Page>(`/v1/b2b/payout-addresses${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const idsOf = ({ bank_accounts: accounts, crypto_wallets: wallets }: Page): string[] =>
      [...accounts, ...wallets].map(({ id }) => id).toSorted()
    let inOrder: string[]
    before(async () => {
      const own = await cambio<{ partner_id: string; secret_key: string }>('partner', 'create', 'Paged')
      await cambio('feature', 'on', 'b2b', '--partner', own.partner_id)
      paged = callsOf(exchange, own.secret_key)
      inOrder = []
      for (let number = 0; number < 7; number += 1) {
        const added =
          number % 3 === 0 ? paged.addBank(bankAccount(`p${number}`)) : paged.addWallet(wallet(`p${number}`))
        inOrder.push((await made(added)).id)
      }
    })

    it('has everything, the oldest first, where no page is asked for', async () => {
      for (const query of ['', '?limit=', '?cursor=null', '?offset=&sorting=']) {
        const whole = await page(query)
        assert.deepEqual(
          whole.bank_accounts.map(({ id }) => id),
          [inOrder[0], inOrder[3], inOrder[6]],
          query,
        )
        assert.equal(whole.crypto_wallets.length, 4)
        assert.deepEqual(whole.pagination, { limit: 10_000, offset: 0, has_more: false, next_cursor: null })
      }
    })

    it('pages over both kinds together, by cursor and by offset, either way', async () => {
      for (const sorting of ['asc', 'desc']) {
        const order = sorting === 'asc' ? inOrder : inOrder.toReversed()
        let cursor: string | null = ''
        for (let at = 0; at < 7; at += 3) {
          const expected = order.slice(at, at + 3).toSorted()
          const byOffset = await page(`?limit=3&sorting=${sorting}&offset=${at}`)
          const byCursor: Page = await page(`?limit=3&sorting=${sorting}&cursor=${cursor ?? ''}`)
          assert.deepEqual([idsOf(byOffset), idsOf(byCursor)], [expected, expected], `${sorting} ${at}`)
          assert.deepEqual(byOffset.pagination.offset, at)
          assert.deepEqual([byOffset.pagination.has_more, byCursor.pagination.has_more], [at < 6, at < 6])
          cursor = byCursor.pagination.next_cursor
        }
        assert.equal(cursor, null)
      }
      assert.deepEqual(idsOf(await page('?limit=2')), inOrder.slice(0, 2).toSorted(), 'oldest first unless said')
      assert.equal((await page('?limit=1000')).pagination.limit, 100)
      assert.equal((await page('?offset=0')).pagination.limit, 50)
    })

    it('refuses what no list reads, and cursors of others', async () => {
      const { next_cursor: cursor } = (await page('?limit=1')).pagination
      for (const [query, path] of [
        ['limit=0', 'limit'],
        ['limit=x', 'limit'],
        ['offset=-1', 'offset'],
        ['sorting=up', 'sorting'],
        ['cursor=abc', 'cursor'],
        [`sorting=desc&cursor=${cursor}`, 'cursor'],
      ]) {
        const told = await paged.call(`/v1/b2b/payout-addresses?${query}`)
        assert.deepEqual(problemOf(told), [400, 'BAD_REQUEST', path], query)
      }
      const told = await theirs.call(`/v1/b2b/payout-addresses?cursor=${cursor}`)
      assert.deepEqual(problemOf(told), [400, 'BAD_REQUEST', 'cursor'])
    })
  })
})
