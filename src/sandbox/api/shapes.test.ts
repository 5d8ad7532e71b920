import assert from 'node:assert/strict'
import { test } from 'node:test'

import { answerCheck } from '../../../test/support/answers.ts'

const check = answerCheck()
const given = (method: string, path: string, status: number, body: unknown) => () =>
  check({ method, url: `/v1/sandbox${path}`, status, contentType: 'application/json', text: JSON.stringify(body) })

test('an answer of the sandbox’s controls is held against its schema', () => {
  const now = '2026-11-20T10:00:00.000Z'
  const paid = { deposit_id: 'pay_1', hash: 'ab' }
  given('GET', '/clock', 200, { now })()
  given('POST', '/clock', 201, { now, ran: 3 })()
  given('POST', '/transaction/12/deposit', 201, paid)()
  given('POST', '/scenarios/sell', 201, { transaction_id: '123' })()
  for (const wrong of [
    given('GET', '/clock', 200, { now: 'today' }),
    given('POST', '/clock', 201, { now }),
    given('POST', '/clock', 201, { now, ran: '3' }),
    given('POST', '/clock', 200, { now, ran: 3 }),
    given('POST', '/transaction/12/deposit', 201, { ...paid, secret: 1 }),
    given('POST', '/transaction/12/checkout', 201, { id: '12' }),
    given('POST', '/scenarios/sell', 201, { transaction_id: 123 }),
    given('GET', '/mail', 200, [{ to: 'a@example.com' }]),
    given('GET', '/nothing', 200, {}),
    given('POST', '/clock', 400, { message: 'no' }),
  ]) {
    assert.throws(wrong)
  }
})
