import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Forms, formsOn } from '../../../test/support/checkout-forms.ts'
import { createBuy } from '../../../test/support/customer.ts'
import { type Exchange, startExchange } from '../../../test/support/exchange.ts'
import { everyTable, isIn } from '../../../test/support/traces.ts'

describe('what somebody puts where an address belongs', () => {
  let exchange: Exchange
  let post: Forms['post']
  let prove: Forms['prove']
  before(async () => {
    exchange = await startExchange()
    ;({ post, prove } = formsOn(exchange))
  })
  after(() => exchange.stop())

  it('400: a private key or a recovery phrase is refused, shown nowhere again and stored nowhere', async () => {
    const secrets = [
      'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617',
      'E9873D79C6D87DC0FB6A5778633389F4453213303DA61F20BD67FC233AA33262',
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
    ]
    const { url } = await createBuy(exchange)
    const refused = async (secret: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
      const answer = await post(url, form, headers)
      assert.equal(answer.status, 400, secret)
      assert.match(answer.text, /a private key or a recovery phrase/)
      assert(!answer.text.includes(secret))
    }
    const [, , , phrase = ''] = secrets
    await refused(phrase, { do: 'email', email: phrase })
    const browser = await prove(url, 'secret@example.com')
    await post(url, { do: 'country', country: 'NL' }, browser)
    for (const secret of secrets) {
      await refused(secret, { do: 'payout_address', payout_address: secret }, browser)
      const created = await exchange.api('/v1/transaction', {
        body: {
          from_amount: '100',
          from_currency: 'EUR',
          to_currency: 'BTC',
          payout_info: { payout_address: secret, skip_choose_payout_address: true },
        },
      })
      assert.deepEqual([created.status, (created.body.errors as { code: string }[])[0]?.code], [400, 'SECRET_KEY'])
      assert(!JSON.stringify(created.body).includes(secret))
    }
    for (const [table, rows] of await everyTable(exchange.ownerUrl))
      for (const secret of secrets) assert(!isIn(rows, secret), table)
  })

  it('an address of another network is named, and so is the network that the coins are paid out on', async () => {
    const { url } = await createBuy(exchange)
    const browser = await prove(url, 'elsewhere@example.com')
    await post(url, { do: 'country', country: 'NL' }, browser)
    for (const [address, name] of [
      ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'an Ethereum'],
      ['ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1', 'an Ethereum'],
      ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'an XRP'],
      ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'a Tron'],
      ['bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', 'a Bitcoin Cash'],
    ] as const) {
      const { text } = await post(url, { do: 'payout_address', payout_address: address }, browser)
      assert.match(text.replaceAll('&#39;', "'"), new RegExp(`That's ${name} address\\. You're buying Bitcoin\\.`))
    }
  })
})
