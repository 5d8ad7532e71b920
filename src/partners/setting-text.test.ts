import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'

import { table } from '../../test/support/table.ts'
import { Refusal } from '../lib/refusal.ts'
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
    b2b_approval      on                                    {"b2bApproval":true}
    b2b_approval      yes                                   refused
    signing           create                                {"signing":"create"}
    signing           sometimes                             refused
    fees              {"commission_percent": 0.5}           {"terms":{"commissionBasisPoints":50}}
    fees              {"commission_percent": "20"}          {"terms":{"commissionBasisPoints":2000}}
    fees              {"commission_percent": "20.01"}       refused
    fees              {"commission_percent": {}}            refused
    fees              {"commission": "1"}                   refused
    fees              []                                    refused
    fees              nonsense                              refused
    limits            {"min": "50"}                         {"terms":{"limits":{"min":"50","max":null}}}
    limits            {"min": 50, "max": "5000.50"}         {"terms":{"limits":{"min":"50","max":"5000.50"}}}
    limits            {"min": "9", "max": "10"}             {"terms":{"limits":{"min":"9","max":"10"}}}
    limits            {"min": "50", "max": "49.99"}         refused
    limits            {"min": "0.001"}                      refused
    limits            {"most": "1"}                         refused
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

test('a signing key is the public half of a strong pair', () => {
  const ed25519 = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const [read] = readChanges({ signing_key: ed25519 })
  assert.equal(read?.signingKey, ed25519)
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' })
  for (const pem of [weak.toString(), other.toString(), 'no key', '']) {
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
