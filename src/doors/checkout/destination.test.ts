import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Forms, formsOn, titleOf } from '../../../test/support/checkout-forms.ts'
import { createBuy, recordOfBuy } from '../../../test/support/customer.ts'
import { type Exchange, startExchange } from '../../../test/support/exchange.ts'

const known = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
/** All that most eyes compare is the same. */
const poisoned = '0x5aaeb000000000000000000000000000001beaed'
const iban = 'NL91ABNA0417164300'

describe('where a payout goes, and how it is paid for, over HTTP', () => {
  let exchange: Exchange
  let forms: Forms
  before(async () => {
    exchange = await startExchange()
    forms = formsOn(exchange)
  })
  after(() => exchange.stop())

  /** An order whose customer has said who and where they are. */
  const begin = async (passed: Record<string, unknown>, email: string) => {
    const order = await createBuy(exchange, passed)
    const browser = await forms.prove(order.url, email)
    await forms.post(order.url, { do: 'country', country: 'NL' }, browser)
    return { ...order, browser }
  }
  const giveAddress = (order: { url: string; browser: { cookie: string } }, form: Record<string, string>) =>
    forms.post(order.url, { do: 'payout_address', ...form }, order.browser)

  it('an address that resembles an earlier one is shown with it, and accepted once that exact one is confirmed', async () => {
    const email = 'poisoned@example.com'
    const first = await begin({ to_currency: 'ETH' }, email)
    assert.equal((await giveAddress(first, { payout_address: known })).status, 303)

    const second = await begin({ to_currency: 'ETH' }, email)
    const refused = await giveAddress(second, { payout_address: poisoned })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /looks like one you’ve used before/)
    const shown = refused.text.replaceAll(/<\/?span[^>]*>/g, '')
    assert(shown.includes(known.toLowerCase()) && shown.includes(poisoned), 'both are shown whole, in one spelling')
    const differing = [...refused.text.matchAll(/class="differs">([^<]*)/g)].map(([, group]) => group)
    const others = ['aeb6', '053f', '3e94', 'c9b9', 'a09f', '3366', '9435', 'e7ef']
    assert.deepEqual(differing, [...others, 'aeb0', ...Array<string>(7).fill('0000')], 'only what is another address')
    const another = poisoned.replace('000', '111')
    assert.equal((await giveAddress(second, { payout_address: another, confirms: poisoned })).status, 400)
    assert.equal((await recordOfBuy(exchange, second.id)).payout, null)

    assert.equal((await giveAddress(second, { payout_address: poisoned, confirms: poisoned })).status, 303)
    const { payout } = await recordOfBuy(exchange, second.id)
    assert.equal((payout as { address: string }).address.toLowerCase(), poisoned)
  })

  it('a payment request that is typed or pasted is read: its address and its tag, and not one for something else', async () => {
    const bought = await begin({}, 'request@example.com')
    const bitcoin = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    const check = (order: { url: string; browser: { cookie: string } }, form: Record<string, string>) =>
      forms.post(order.url.replace('/checkout', '/checkout/check'), { do: 'payout_address', ...form }, order.browser)
    const foreign = { payout_address: `ethereum:${known}@1`, field: 'payout_address' }
    assert.match((await check(bought, foreign)).text, /That.+s an Ethereum address\. You.+re buying Bitcoin/)
    assert.match((await giveAddress(bought, foreign)).text, /That.+s an Ethereum address\. You.+re buying Bitcoin/)
    assert.equal((await recordOfBuy(exchange, bought.id)).payout, null)

    const mistyped = await giveAddress(bought, { payout_address: `bitcoin:${bitcoin.slice(0, -1)}5?amount=1` })
    assert.match(
      mistyped.text,
      new RegExp(`>${bitcoin.slice(0, -1)}5</textarea>`),
      'what was read is shown to be mended',
    )
    const valid = { payout_address: ` bitcoin:${bitcoin}?amount=0.1&label=Me `, field: 'payout_address' }
    assert.match((await check(bought, valid)).text, /"text":""/)
    assert.equal((await giveAddress(bought, valid)).status, 303)
    assert.equal(((await recordOfBuy(exchange, bought.id)).payout as { address: string }).address, bitcoin)

    const tagged = await begin({ to_currency: 'XRP' }, 'request@example.com')
    const request = 'xrpl://rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?amount=1&dt=7'
    const other = await giveAddress(tagged, { payout_address: request, extra_id: '8' })
    assert.match(other.text, /names another Destination tag/i)
    assert.equal((await giveAddress(tagged, { payout_address: request, extra_id: '' })).status, 303)
    const { payout } = await recordOfBuy(exchange, tagged.id)
    assert.match(JSON.stringify(payout), /"rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY".*"7"/)
  })

  it('an account is taken with its holder, in any spelling, and refused at its field', async () => {
    const sell = await begin({ from_currency: 'BTC', from_amount: '0.05', to_currency: 'EUR' }, 'account@example.com')
    for (const [form, field] of [
      [{ payout_address: 'NL91 ABNA 0417 1643 01', payout_holder: 'Jan Jansen' }, 'payout_address'],
      [{ payout_address: '', payout_holder: 'Jan Jansen' }, 'payout_address'],
      [{ payout_address: iban, payout_holder: '' }, 'payout_holder'],
      [{ payout_address: iban, payout_holder: '12' }, 'payout_holder'],
    ] as const) {
      const { status, text } = await giveAddress(sell, form)
      assert.equal(status, 400, field)
      assert(text.includes(`id="${field}-problem"`), `${field}: ${JSON.stringify(form)}`)
    }
    await giveAddress(sell, { payout_address: 'nl91 abna 0417 1643 00', payout_holder: ' Jan  Jansen ' })
    const page = await forms.get(sell.url, sell.browser)
    assert.equal(titleOf(page), 'Send 0.05 BTC')
    assert.match(page.text, /Jan Jansen/)
    const { payout } = await recordOfBuy(exchange, sell.id)
    assert.equal((payout as { address: string }).address, iban)
  })

  it('a wallet may be opened from the page: the policy of the page lets links go anywhere', async () => {
    const sell = await begin({ from_currency: 'BTC', from_amount: '0.05', to_currency: 'EUR' }, 'wallet@example.com')
    await giveAddress(sell, { payout_address: iban, payout_holder: 'Jan Jansen' })
    const { text, headers } = await forms.get(sell.url, sell.browser)
    assert.match(text, /<a class="button second" href="bitcoin:bc1[a-z0-9]+\?amount=0\.05">/)
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /navigate-to|sandbox/)
  })

  it('who pays on a page of the processor’s goes there, and comes back, in the language that was chosen here', async () => {
    const order = await begin({ locale: 'fr' }, 'speaks-german@example.com')
    await giveAddress(order, { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
    for (const [path, tag] of [
      ['/de/checkout', 'de'],
      ['/checkout', 'fr'],
    ] as const) {
      const answer = await forms.post(order.url.replace('/checkout', path), { do: 'pay' }, order.browser)
      const leadsTo = new URL(answer.headers.get('location') ?? '')
      assert.equal(leadsTo.searchParams.get('locale'), tag)
      assert(
        leadsTo.search.includes(encodeURIComponent(`/${tag}/checkout${new URL(order.url).search}&returned=1`)),
        leadsTo.href,
      )
    }
  })

  it('what is paid by hand is paid on no page of anybody', async () => {
    const order = await begin({ deposit: { payment_category: 'SEPA' } }, 'by-hand@example.com')
    await giveAddress(order, { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
    const answer = await forms.post(order.url, { do: 'pay' }, order.browser)
    assert.equal(answer.status, 303)
    assert.equal(exchange.url + answer.headers.get('location'), order.url)
  })

  it('a way to pay that cannot be is refused, and changes nothing', async () => {
    const order = await begin({}, 'method@example.com')
    await giveAddress(order, { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
    for (const method of ['CRYPTO_1', 'PIX_1', 'x', '__proto__']) {
      const { status, text } = await forms.post(`${order.url}&ask=method`, { do: 'method', method }, order.browser)
      assert.equal(status, 400, method)
      assert.match(text, /How do you want to pay\?/)
    }
    assert.equal((await recordOfBuy(exchange, order.id)).deposit_payment_category, 'VISA_MC')
    await forms.post(order.url, { do: 'method', method: 'SEPA_1' })
    assert.equal((await recordOfBuy(exchange, order.id)).deposit_payment_category, 'VISA_MC', 'nobody was proven')
    await forms.post(order.url, { do: 'method', method: 'SEPA_1' }, order.browser)
    assert.equal((await recordOfBuy(exchange, order.id)).deposit_payment_category, 'SEPA')

    const fixed = { deposit: { payment_category: 'VISA_MC', skip_choose_payment_category: true } }
    const other = await begin(fixed, 'method@example.com')
    await giveAddress(other, { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
    await forms.post(other.url, { do: 'method', method: 'SEPA_1' }, other.browser)
    assert.equal((await recordOfBuy(exchange, other.id)).deposit_payment_category, 'VISA_MC')
  })
})
