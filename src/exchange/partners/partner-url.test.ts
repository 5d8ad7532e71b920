import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readable, unreadable } from '../../../test/support/url-samples.ts'
import { readPartnerUrl } from './partner-url.ts'

test('an address that a partner names is https, without a password, and read alike by everybody', () => {
  for (const text of readable) assert.ok(readPartnerUrl(text, 'none') instanceof URL, text)
  for (const text of unreadable)
    for (const plainHttp of ['none', 'loopback', 'any'] as const)
      assert.equal(typeof readPartnerUrl(text, plainHttp), 'string', text)
})

test('http is for a machine of one’s own, or where it is allowed', () => {
  const accepts = (text: string) =>
    (['none', 'loopback', 'any'] as const).filter((rule) => readPartnerUrl(text, rule) instanceof URL)
  assert.deepEqual(accepts('http://localhost:3000/done'), ['loopback', 'any'])
  assert.deepEqual(accepts('http://127.0.0.1/'), ['loopback', 'any'])
  assert.deepEqual(accepts('http://[::1]:3000/'), ['loopback', 'any'])
  assert.deepEqual(accepts('http://localhost.evil.example/'), ['any'])
  assert.deepEqual(accepts('http://shop.example/'), ['any'])
})
