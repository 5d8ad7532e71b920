import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { B2bRecord, TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { exampleAccount } from '../../src/reference/bank/example-account.ts'
import { defaultTypes } from '../../src/exchange/webhooks/endpoint.ts'
import {
  bankAccount,
  type Body,
  type Calls,
  callsOf,
  callsOfAnother,
  halfBitcoin,
  ibanOf,
  made,
  problemOf,
  toldOf,
  wallet,
  walletOf,
} from '../support/b2b.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, create, lookup, pay, railEvent } from '../support/journey.ts'
import { offences } from '../support/strict-types.ts'
import { until } from '../support/telling.ts'

describe('B2B', () => {
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

  const arrived = async (id: string, status: string): Promise<B2bRecord> => {
    await until(async () => (await ours.read(id)).status === status, `${id} to become ${status}`)
    return ours.read(id)
  }

  describe('a transaction', () => {
    const checkoutFields = [
      'redirect_url',
      'skip_choose_payout_address',
      'skip_choose_payment_category',
      'customer_payout_address_changeable',
    ]

    it('of euro for coins says to which account and with which reference to pay, and ends in a payout', async () => {
      await made(ours.addWallet(wallet('buy')))
      const address = walletOf('bitcoin', 'buy')
      const record = await made(ours.order({ payout_account_address: address, external_partner_link_id: 'order 7' }))
      assert.deepEqual(offences('transaction', record), [])
      assert.deepEqual(
        checkoutFields.filter((name) => name in record),
        [],
      )
      const { status, side, deposit_payment_category: category, email, customer_id: customer } = record
      assert.deepEqual([status, side, category, email, customer], ['waiting_for_deposit', 'buy', 'SEPA', null, null])
      assert.deepEqual(record.payout, { address, extra_id: '' })
      assert.match(record.deposit_bank?.reference ?? '', /^RF\d\d/)
      assert.equal(record.deposit?.address, record.deposit_bank?.account_number)
      assert.equal(record.deposit?.extra_id, record.deposit_bank?.reference)
      assert.deepEqual(await ours.read(record.id), record)

      await pay(exchange, record.id)
      const finished = await arrived(record.id, 'finished')
      assert.ok(finished.output_hash)
      assert.equal(finished.to_amount, finished.expected_to_amount)
      assert.equal(finished.estimate_breakdown.serviceFees[0]?.amount, '30')
      await assertBooksHold(exchange)
    })

    it('of coins for euro has an address of its own to pay to, and pays the registered account', async () => {
      const { id: account } = await made(ours.addBank(bankAccount('sell')))
      const record = await made(
        ours.order({ from_currency: 'ETH', from_amount: '5', to_currency: 'EUR', payout_address_id: account }),
      )
      assert.match(record.deposit?.address ?? '', /^0x/)
      assert.equal(record.deposit_bank, null)
      assert.deepEqual(record.payout, {
        address: ibanOf('sell'),
        extra_id: 'SBBKDEF0XXX',
        iban: ibanOf('sell'),
        full_name: 'Treasury GmbH',
      })
      await pay(exchange, record.id)
      assert.equal((await arrived(record.id, 'finished')).payout_address_id, account)
      await assertBooksHold(exchange)
    })

    it('of coins for coins works, and an IBAN with spaces is the same account', async () => {
      await made(ours.addWallet({ currency: 'ETH', wallet_address: walletOf('evm', 'swap') }))
      const swapped = await made(
        ours.order({
          from_currency: 'BTC',
          from_amount: '0.5',
          to_currency: 'ETH',
          payout_account_address: walletOf('evm', 'swap').toLowerCase(),
        }),
      )
      assert.equal(swapped.side, 'swap')
      await made(ours.addBank(bankAccount('spaces')))
      const spaced = ibanOf('spaces').replace(/(.{4})/g, '$1 ')
      const order = { ...halfBitcoin, payout_account_address: spaced }
      assert.equal((await ours.order(order)).status, 201)
    })

    it('goes both ways by every kind of bank transfer', async () => {
      await made(ours.addWallet(wallet('every way')))
      const ways = [
        ['SWIFT', 'swift', 'USD', '20000'],
        ['FASTERPAYMENTS', 'uk', 'GBP', '20000'],
        ['PIX', 'pix', 'BRL', '100000'],
        ['SPEI', 'clabe', 'MXN', '400000'],
      ] as const
      for (const [category, form, currency, amount] of ways) {
        const { account, bic, holder } = exampleAccount(form, Buffer.alloc(32, 9))
        const address = { account_name: holder, account_number: account, swift: bic }
        const added = await made(ours.addBank({ payment_category: category, address }))
        assert.equal(added.currency, category === 'SWIFT' ? '' : currency)
        const buy = {
          from_currency: currency,
          from_amount: amount,
          payout_account_address: walletOf('bitcoin', 'every way'),
        }
        const sell = { ...halfBitcoin, to_currency: currency, payout_account_address: account }
        const records = [await made(ours.order(buy)), await made(ours.order(sell))]
        assert.equal(records[0]?.deposit_payment_category, category)
        assert.equal(records[1]?.payout_payment_category, category)
        for (const { id } of records) {
          await pay(exchange, id)
          await arrived(id, 'finished')
        }
      }
      await assertBooksHold(exchange)
    })

    it('pays to a registered address only: else 400, path payout_account_address', async () => {
      await made(ours.addWallet(wallet('registered')))
      const iban = await made(ours.addBank(bankAccount('not coins')))
      const foreign = await made(theirs.addWallet(wallet('foreign')))
      const cases: Body[] = [
        {},
        { payout_account_address: walletOf('bitcoin', 'nobody') },
        { payout_account_address: 'no address' },
        { payout_account_address: walletOf('bitcoin', 'foreign') },
        { payout_address_id: foreign.id },
        { payout_address_id: '7' },
        { payout_address_id: 'x' },
        { payout_address_id: iban.id },
        { payout_account_address: walletOf('bitcoin', 'nobody'), payout_address_id: iban.id },
      ]
      for (const body of cases) {
        const told = await ours.order(body)
        assert.deepEqual(problemOf(told), [400, 'BAD_REQUEST', 'payout_account_address'], JSON.stringify(body))
      }
      assert.equal((await theirs.order({ payout_address_id: foreign.id })).status, 201)
    })

    it('refuses what is ill-formed or cannot be exchanged before it speaks of addresses', async () => {
      const cases: [Body, number, string, string][] = [
        [{ from_amount: '' }, 400, 'BAD_REQUEST', 'from_amount'],
        [{ from_amount: '10' }, 400, 'BAD_REQUEST', 'from_amount'],
        [{ from_currency: null }, 400, 'BAD_REQUEST', 'from_currency'],
        [{ to_currency: 'NOTHING' }, 400, 'PAIR_NOT_AVAILABLE', 'to_currency'],
        [{ to_currency: 'USD' }, 400, 'PAIR_NOT_AVAILABLE', 'to_currency'],
        [{ external_partner_link_id: '4242424242424242' }, 400, 'BAD_REQUEST', 'external_partner_link_id'],
      ]
      for (const [change, ...wanted] of cases) {
        const told = await ours.order({ payout_account_address: 'nobody', ...change })
        assert.deepEqual(problemOf(told), wanted, JSON.stringify(change))
      }
    })

    it('is in the B2B list only, as retail ones are in theirs only, and each partner has its own', async () => {
      await made(ours.addWallet(wallet('list')))
      const b2b = await made(ours.order({ payout_account_address: walletOf('bitcoin', 'list') }))
      const retail = await create(exchange)
      type Page = { data: TransactionRecord[]; pagination: { has_more: boolean } }
      const idsOf = async (calls: Calls, path: string) => {
        const { status, body } = await calls.call<Page>(`${path}?limit=100`)
        assert.equal(status, 200, JSON.stringify(body))
        return body.data.map(({ id }) => id)
      }
      const [own, customers] = [await idsOf(ours, '/v1/b2b/transactions'), await idsOf(ours, '/v1/transactions')]
      assert.ok(own.includes(b2b.id) && !own.includes(retail.id))
      assert.ok(customers.includes(retail.id) && !customers.includes(b2b.id))
      assert.ok(!(await idsOf(theirs, '/v1/b2b/transactions')).includes(b2b.id))
      const { body } = await ours.call<Page>('/v1/b2b/transactions?limit=1')
      assert.deepEqual(body.data[0], b2b)
    })

    it('is read with the partner’s secret key alone, and has no checkout', async () => {
      await made(ours.addWallet(wallet('hidden')))
      const { id } = await made(ours.order({ payout_account_address: walletOf('bitcoin', 'hidden') }))
      assert.equal((await ours.call(`/v1/transaction/${id}`)).status, 200)
      assert.equal((await ours.call(`/v1/transaction/${id}`, { key: exchange.sandbox.public_key })).status, 404)
      assert.equal((await theirs.call(`/v1/transaction/${id}`)).status, 404)
      assert.equal((await fetch(`${exchange.url}/checkout?tid=${id}`)).status, 404)
      assert.equal((await fetch(`${exchange.url}/checkout/status?tid=${id}`)).status, 404)
      const control = `/v1/sandbox/transaction/${id}/checkout`
      const asIs = await ours.call(control, { body: {} })
      assert.deepEqual([asIs.status, asIs.body], [201, await ours.read(id)])
      const elsewhere = { payout_address: walletOf('bitcoin', 'elsewhere') }
      await ours.call(control, { body: elsewhere })
      assert.equal((await ours.read(id)).payout?.address, walletOf('bitcoin', 'hidden'))
    })

    it('is told of in events of its own type, which endpoints do not get by default', async () => {
      await made(ours.addWallet(wallet('told')))
      const { id } = await made(ours.order({ payout_account_address: walletOf('bitcoin', 'told') }))
      await pay(exchange, id)
      await arrived(id, 'finished')
      const own = async () => toldOf(exchange, id)
      await until(async () => (await own()).length === 5, 'five events')
      const told = await own()
      assert.deepEqual(new Set(told.map(({ type }) => type)), new Set(['b2b.transaction.status_changed']))
      assert.ok(!defaultTypes.includes('b2b.transaction.status_changed'))
      assert.deepEqual(
        told.map(({ sequence, payload }) => [sequence, payload.status]),
        [
          [1, 'new'],
          [2, 'waiting_for_deposit'],
          [3, 'exchanging'],
          [4, 'sending'],
          [5, 'finished'],
        ],
      )
      for (const { payload } of told)
        assert.deepEqual(
          checkoutFields.filter((name) => name in payload),
          [],
        )
    })

    it('comes once for its Idempotency-Key, and so does an address', async () => {
      const headers = { 'idempotency-key': 'b2b wallet' }
      const [one, again] = [
        await ours.addWallet(wallet('keyed'), { headers }),
        await ours.addWallet(wallet('keyed'), { headers }),
      ]
      assert.deepEqual([again.status, again.body], [201, one.body])
      assert.equal(again.headers.get('idempotency-replayed'), 'true')
      const order = { payout_account_address: walletOf('bitcoin', 'keyed') }
      const asking = { headers: { 'idempotency-key': 'b2b order' } }
      const [first, second] = [await ours.order(order, asking), await ours.order(order, asking)]
      assert.equal(first.status, 201)
      assert.deepEqual(second.body, first.body)
      const other = await ours.order({ ...order, from_amount: 20_000 }, asking)
      assert.deepEqual(problemOf(other).slice(0, 2), [422, 'IDEMPOTENCY_MISMATCH'])
    })

    it('of a disabled address is stopped before the payout is planned, and nothing is sent', async () => {
      const { id: address } = await made(ours.addWallet(wallet('disabled')))
      const { id } = await made(ours.order({ payout_address_id: address }))
      await cambio('b2b', 'disable', address, '--reason', 'asked for')
      await pay(exchange, id)
      const held = await arrived(id, 'on_hold')
      assert.equal(held.status_details, 'review')
      assert.match(held.status_history.at(-1)?.reason ?? '', /address is no longer active/)
      assert.deepEqual(
        await lookup(
          exchange,
          'select plan_key from plans join payouts on plan_id = plans.id join transactions on transactions.id = transaction_id where public_id = $1',
          [id],
        ),
        [],
      )
      const told = await ours.order({ payout_address_id: address })
      assert.deepEqual(problemOf(told).slice(0, 2), [409, 'CONFLICT'])
      await assertBooksHold(exchange)
    })

    it('whose payout bounced is not paid to an address that nobody registered', async () => {
      const { id: address } = await made(ours.addBank(bankAccount('bounces')))
      const { id } = await made(ours.order({ ...halfBitcoin, payout_address_id: address }))
      await pay(exchange, id)
      await arrived(id, 'finished')
      await railEvent(exchange, id, 'bounce')
      await arrived(id, 'on_hold')
      const told = await ours.call(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
      assert.deepEqual(problemOf(told).slice(0, 2), [409, 'CONFLICT'])
      assert.equal((await ours.read(id)).status, 'on_hold')
    })
  })
})
