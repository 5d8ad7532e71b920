import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { readChanges } from './setting-text.ts'

test('a setting is read from its text exactly, or refused with its name', () => {
  const rows = table(`
    name              text                                  read
    slippage_percent  2                                     {"slippageBasisPoints":200}
    slippage_percent  0.05                                  {"slippageBasisPoints":5}
    slippage_percent  0                                     {"slippageBasisPoints":0}
    slippage_percent  50                                    {"slippageBasisPoints":5000}
    slippage_percent  default                               {"slippageBasisPoints":null}
    slippage_percent  50.01                                 refused
    slippage_percent  0.005                                 refused
    slippage_percent  -1                                    refused
    slippage_percent  1e1                                   refused
    underpayment_percent  0.5                               {"underpaymentBasisPoints":50}
    underpayment_percent  0                                 {"underpaymentBasisPoints":0}
    underpayment_percent  10                                {"underpaymentBasisPoints":1000}
    underpayment_percent  10.01                             refused
    b2b_approval      on                                    {"b2bApproval":true}
    b2b_approval      yes                                   refused
    signing           create                                {"signing":"create"}
    signing           sometimes                             refused
    fees              {"commission_percent": "20.01"}       refused
    fees              {"commission_percent": {}}            refused
    fees              {"commission": "1"}                   refused
    fees              {"schedules": []}                     refused
    fees              []                                    refused
    fees              nonsense                              refused
    limits            {"min": "50", "max": "49.99"}         refused
    limits            {"min": "0.001"}                      refused
    limits            {"most": "1"}                         refused
    limits            {"min": "5", "buy": {"max": "4"}}     refused
    limits            {"buy": "5"}                          refused
    limits            {"b2b": {"min": "2", "max": "1"}}     refused
    key_per_second    50                                    {"rateLimits":{"keyPerSecond":50}}
    creates_burst     default                               {"rateLimits":{"createsBurst":null}}
    customer_ip_burst  1000000                              {"rateLimits":{"customerIpBurst":1000000}}
    key_burst         0                                     refused
    key_burst         1000001                               refused
    key_burst         1.5                                   refused
    theme             {"accent": "#0A7cff"}                 {"theme":{"accent":"#0A7cff"}}
    theme             {"accent": "red;}"}                   refused
    theme             {"onload": "#0a7cff"}                 refused
    constructor       x                                     refused
    features          {}                                    refused
  `)
  for (const { name = '', text = '', read = '' } of rows) {
    if (read === 'refused') assert.throws(() => readChanges({ [name]: text }), Refusal, `${name}=${text}`)
    else assert.deepEqual(readChanges({ [name]: text }), [JSON.parse(read)], `${name}=${text}`)
  }
})

const termsOf = (name: string, value: unknown) => readChanges({ [name]: JSON.stringify(value) })[0]?.terms

test('a file of limits is the whole of them: a side has what it leaves out from the account, B2B nothing', () => {
  const none = { min: null, max: null }
  const limits = (value: unknown) => termsOf('limits', value)
  assert.deepEqual(limits({ min: '50' }), { limits: { min: '50', max: null }, limitsBySide: {}, b2bLimits: none })
  assert.deepEqual(limits({ min: '9', max: '10' })?.limits, { min: '9', max: '10' })
  assert.deepEqual(limits({ min: 50, max: '5000.50', sell: { max: 100 }, swap: {}, b2b: { min: '70000' } }), {
    limits: { min: '50', max: '5000.50' },
    limitsBySide: { sell: { min: '50', max: '100' }, swap: { min: '50', max: '5000.50' } },
    b2bLimits: { min: '70000', max: null },
  })
})

test('a file of fees is the commission; price lists are policies', () => {
  assert.deepEqual(termsOf('fees', { commission_percent: '0.5' }), { commissionBasisPoints: 50 })
  const refused: [value: object, message: RegExp][] = [
    [{}, /^fees: commission_percent is missing/],
    [{ commission_percent: '20.01' }, /^fees.commission_percent: must be a percentage from 0 to 20,/],
    [{ commission_percent: '1', schedules: [] }, /^fees: price lists are policies: use policy propose/],
    [{ commission_percent: '1', b2b_schedules: [] }, /^fees: price lists are policies/],
    [{ commission_percent: '1', discount: '1' }, /^fees: takes commission_percent/],
  ]
  for (const [value, message] of refused) {
    assert.throws(() => termsOf('fees', value), { code: 'BAD_REQUEST', message }, JSON.stringify(value))
  }
})

test('a signing key is the public half of a strong pair', () => {
  const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const [read] = readChanges({ signing_key: ed25519 })
  assert.equal(read?.signingKey, ed25519)
  const next = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  assert.equal(readChanges({ signing_key: `${ed25519}\n${next}` })[0]?.signingKey, ed25519 + next)
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' })
  const cut = ed25519 + ed25519.slice(0, 60)
  const four = ed25519.repeat(4)
  for (const pem of [weak.toString(), other.toString(), 'no key', '', cut, four, ed25519 + weak.toString()]) {
    assert.throws(() => readChanges({ signing_key: pem }), { code: 'BAD_REQUEST' })
  }
})

test('a private key given by mistake is not what is stored', () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const [read] = readChanges({ signing_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() })
  assert.match(read?.signingKey ?? '', /^-----BEGIN PUBLIC KEY-----/)
})

test('a change that names nothing is refused', () => {
  assert.throws(() => readChanges({}), { code: 'BAD_REQUEST' })
})
