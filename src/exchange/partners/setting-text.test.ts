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

const list = {
  version: 'shop-1',
  service_percent: { buy: '0.8', sell: 1, swap: '20' },
  service_minimum: '01.50',
  spread_percent: { buy: 0, sell: '0.05', swap: '0.4' },
}
const read = {
  version: 'shop-1',
  from: new Date(0),
  serviceBasisPoints: { buy: 80, sell: 100, swap: 2_000 },
  serviceMinimum: '1.5',
  spreadBasisPoints: { buy: 0, sell: 5, swap: 40 },
}

test('a file of fees is the whole of them: price lists that it does not name are gone', () => {
  const fees = (value: object) => termsOf('fees', { commission_percent: '0.5', ...value })
  assert.deepEqual(fees({}), { commissionBasisPoints: 50, feeSchedules: [], b2bFeeSchedules: [] })
  const later = { ...list, version: 'shop-2', from: '2027-01-31', service_minimum: undefined }
  assert.deepEqual(fees({ schedules: [list, later], b2b_schedules: [{ ...later, version: 'b' }] }), {
    commissionBasisPoints: 50,
    feeSchedules: [
      read,
      { ...read, version: 'shop-2', from: new Date('2027-01-31T00:00:00.000Z'), serviceMinimum: '0' },
    ],
    b2bFeeSchedules: [{ ...read, version: 'b', from: new Date('2027-01-31T00:00:00.000Z'), serviceMinimum: '0' }],
  })
})

test('an unusable price list is refused, naming its error', () => {
  const cases: [change: object, said: RegExp][] = [
    [{ version: undefined }, /^schedules\[0\]\.version: must be a name/],
    [{ version: 'Shop 1' }, /^schedules\[0\]\.version: must be a name/],
    [{ from: '2027-02-30' }, /^schedules\[0\]\.from: must be a day/],
    [{ from: '2027-02-28T25:00Z' }, /^schedules\[0\]\.from: must be a day/],
    [{ from: 'soon' }, /^schedules\[0\]\.from: must be a day/],
    [{ service_percent: '1' }, /^schedules\[0\]\.service_percent: takes buy, sell, swap\.$/],
    [{ service_percent: { buy: '1', sell: '1' } }, /^schedules\[0\]\.service_percent\.swap: must be a percentage/],
    [{ spread_percent: { buy: '1', sell: '1', swap: '20.01' } }, /\.spread_percent\.swap: .* from 0 to 20,/],
    [{ spread_percent: { buy: '-1', sell: '1', swap: '1' } }, /\.spread_percent\.buy: must be a percentage/],
    [{ service_minimum: '1000.01' }, /^schedules\[0\]\.service_minimum: must be at most 1000\.$/],
    [{ service_minimum: '-1' }, /^schedules\[0\]\.service_minimum: must be an amount/],
    [{ discount: '1' }, /^schedules\[0\]: takes version, from, service_percent/],
  ]
  for (const [change, said] of cases) {
    const given = { commission_percent: '0', schedules: [{ ...list, ...change }] }
    assert.throws(() => termsOf('fees', given), { code: 'BAD_REQUEST', message: said }, JSON.stringify(change))
  }
  const second = { ...list, version: 'shop-2' }
  const lists: [value: object, said: RegExp][] = [
    [{ schedules: {} }, /^schedules: must be a list/],
    [{ schedules: [null] }, /^schedules\[0\]: takes version/],
    [{ schedules: Array.from({ length: 51 }, () => list) }, /^schedules: must be a list of at most 50/],
    [{ schedules: [list, second] }, /^schedules\[1\]\.from: must be a day/],
    [{ schedules: [list, { ...second, from: '1970-01-01' }] }, /^schedules: each price list must begin after/],
    [{ schedules: [list], b2b_schedules: [list] }, /^fees: the version shop-1 names two price lists/],
  ]
  for (const [value, said] of lists) {
    const given = { commission_percent: '0', ...value }
    assert.throws(
      () => termsOf('fees', given),
      { code: 'BAD_REQUEST', message: said },
      JSON.stringify(value).slice(0, 99),
    )
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
