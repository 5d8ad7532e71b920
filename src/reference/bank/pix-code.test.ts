import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeReference } from './creditor-reference.ts'
import { accountFor } from '../../rails/bank-accounts.ts'
import { sandboxAccounts } from '../../sandbox/bank/our-accounts.ts'
import { pixCode } from './pix-code.ts'
import type { PixRequest } from './pix-code.ts'

/** The static example of the Banco Central's manual. */
const example: PixRequest = {
  key: '123e4567-e12b-12d1-a456-426655440000',
  holder: 'Fulano de Tal',
  city: 'BRASILIA',
  amount: null,
  txid: '',
}

test('the example of the Banco Central’s manual is written to the letter, check sum included', () => {
  assert.equal(
    pixCode(example),
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
  )
})

test('our key, a reference of ours and the amount can be read back from the code', () => {
  const account = accountFor(sandboxAccounts, 'PIX', 'BRL')
  assert(account)
  const reference = makeReference(new Uint8Array(16).fill(5))
  const code = pixCode({ ...account, key: account.account, city: 'São Paulo', amount: 123450n, txid: reference })
  const fields = read(code)
  assert.equal(read(fields.get('26') ?? '').get('01'), account.account)
  assert.equal(fields.get('54'), '1234.5')
  assert.equal(fields.get('59'), 'Cambio Sandbox Ltd')
  assert.equal(fields.get('60'), 'Sao Paulo')
  assert.equal(read(fields.get('62') ?? '').get('05'), reference)
})

test('what can not be a Pix payment is never written', () => {
  const wrong: Partial<PixRequest>[] = [
    { amount: 0n },
    { amount: -1n },
    { amount: 10n ** 12n },
    { key: 'nobody' },
    { key: '111.444.777-35' },
    { txid: 'A'.repeat(26) },
    { txid: 'A B' },
    { holder: '' },
    { city: '東京' },
  ]
  for (const one of wrong) assert.throws(() => pixCode({ ...example, ...one }), { name: 'AssertionError' })
})

function read(code: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (let at = 0; at < code.length;) {
    const length = Number.parseInt(code.slice(at + 2, at + 4), 10)
    fields.set(code.slice(at, at + 2), code.slice(at + 4, at + 4 + length))
    at += 4 + length
  }
  return fields
}
