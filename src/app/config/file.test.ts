import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import ssh2 from 'ssh2'

import { newKeys } from '../../../test/support/sftp-server.ts'
import { fingerprintOf } from '../../rails/iso20022/sftp.ts'
import { checkConfigFile, readConfigFile, secretOf } from './file.ts'

const folder = mkdtempSync(join(tmpdir(), 'config-file-'))
after(() => rmSync(folder, { recursive: true }))

const path = join(folder, 'config.yaml')
const written = (text: string): string => {
  writeFileSync(path, text)
  return path
}
const company =
  'company: { name: Example Ltd, address: "1 Street, City", license: "VASP 123", support: help@example.com }'

test('a file without faults is read, and says where relative paths start', () => {
  const file = readConfigFile(written(company))
  assert.equal(file.folder, folder)
  assert.equal(file.company?.license, 'VASP 123')
  assert.deepEqual(checkConfigFile(written('')).problems, [])
})

test('every fault is named with its path and its line', () => {
  const { problems } = checkConfigFile(written('company:\n  name: 5\n  support: ""\n  colour: red\nrail: []\n'))
  assert.deepEqual(
    new Set(problems.map(({ path: where, line }) => `${where} in line ${line}`)),
    new Set([
      'company.address in line 2',
      'company.colour in line 4',
      'company.name in line 2',
      'company.support in line 3',
      'rail in line 5',
    ]),
  )
})

test('YAML that means two things is refused: duplicate keys, aliases, broken syntax', () => {
  for (const text of [`${company}\n${company}`, `a: &x 1\nb: *x`, 'company: [', 'company: {name: "x']) {
    assert.equal(checkConfigFile(written(text)).file, undefined, text)
  }
})

test('a file that is missing is a fault, not a crash', () => {
  assert.deepEqual(checkConfigFile(join(folder, 'none.yaml')).problems, [{ path: '', message: 'cannot be read' }])
})

test('a secret is a reference; one that leads nowhere is a fault, and its value is never repeated', () => {
  const text = 'company: { name: "env:NO_SUCH_NAME", address: "file:./token", support: help@example.com }'
  const wrong = checkConfigFile(written(text), {}).problems
  assert.deepEqual(
    wrong.map((one) => one.path),
    ['company.name', 'company.address'],
  )
  writeFileSync(join(folder, 'token'), 'hunter2\n')
  assert.deepEqual(checkConfigFile(written(text), { NO_SUCH_NAME: 'hunter2' }).problems, [])
  assert.equal(secretOf('file:./token', { folder }), 'hunter2')
})

test('a bank is looked at as opening its rail does: check digits, accounts, folders', () => {
  const bank = (name: string, more: string) =>
    `  - { kind: iso20022, name: ${name}, every: PT1S, serves: [SEPA], ${more} }\n`
  const account = (iban: string, currency = 'EUR', bic = 'BYLADEM1001') =>
    `{ currency: ${currency}, iban: ${iban}, bic: ${bic}, holder: Example Ltd }`
  const valid = account('DE02120300000000202051')
  const of = (...banks: string[]) =>
    checkConfigFile(written(`rails:\n${banks.join('')}`)).problems.map(({ path: where, line }) => `${where} ${line}`)
  assert.deepEqual(of(bank('one', `in: ./a/in, out: ./a/out, accounts: [${valid}]`)), [])
  writeFileSync(join(folder, 'a-file'), '')
  mkdirSync(join(folder, 'a/in'), { recursive: true })
  symlinkSync(join(folder, 'a/in'), join(folder, 'linked'))
  mkdirSync(join(folder, 'b'))
  writeFileSync(join(folder, 'b/done'), 'a file in the way')
  const keys = newKeys()
  const locked = ssh2.utils.generateKeyPairSync('ed25519', { passphrase: 'secret', cipher: 'aes256-ctr', rounds: 1 })
  writeFileSync(join(folder, 'private'), keys.private)
  writeFileSync(join(folder, 'public'), keys.public)
  writeFileSync(join(folder, 'locked'), locked.private)
  const sftp = (key: string, hostKey = fingerprintOf(Buffer.from('a server'))) =>
    `in: ./a/in, out: ./a/out, accounts: [${valid}],
      sftp: { host: bank.example, user: us, key: "${key}", host_key: "${hostKey}", in: /in, out: /out }`
  assert.deepEqual(of(bank('one', sftp('file:./private'))), [])
  const cases: [text: string, where: string][] = [
    [`in: ./a/in, out: ./a/out, accounts: [${account('DE02120300000000202052')}]`, 'rails[0].accounts[0].iban 2'],
    [`in: ./a/in, out: ./a/out, accounts: [${valid}, ${valid}]`, 'rails[0].accounts 2'],
    [
      `in: ./a/in, out: ./a/out, accounts: [${account('DE02120300000000202051', 'EUR', 'XYZ')}]`,
      'rails[0].accounts[0].bic 2',
    ],
    [`in: ./a/in, out: ./a/out, accounts: [${account('DE02120300000000202051', 'USD')}]`, 'rails[0].serves 2'],
    [`in: ./a/in, out: ./a/in, accounts: [${valid}]`, 'rails[0].out 2'],
    [`in: ./a-file/in, out: ./a/out, accounts: [${valid}]`, 'rails[0].in 2'],
    [`in: ./a/in, out: ./a/out, schemas: ./none, accounts: [${valid}]`, 'rails[0].schemas 2'],
    [`in: ./a/in, out: ./a/in/done, accounts: [${valid}]`, 'rails[0].out 2'],
    [`in: ./a/in, out: ./linked, accounts: [${valid}]`, 'rails[0].out 2'],
    [`in: ./b, out: ./a/out, accounts: [${valid}]`, 'rails[0].in 2'],
    [
      `in: ./a/in, out: ./a/out, accounts: [${valid}], ignore: [DE75512108001245126199, DE02120300000000202051]`,
      'rails[0].ignore[1] 2',
    ],
    [sftp('file:./public'), 'rails[0].sftp.key 3'],
    [sftp('file:./locked'), 'rails[0].sftp.key 3'],
    [sftp('file:./private', 'MD5:16:27'), 'rails[0].sftp.host_key 3'],
    [sftp('file:./none'), 'rails[0].sftp.key 3'],
  ]
  for (const [text, where] of cases) assert.deepEqual(of(bank('one', text)), [where], text)
  const other = account('DE75512108001245126199')
  assert.deepEqual(
    of(
      bank('one', `in: ./a/in, out: ./a/out, accounts: [${valid}]`),
      bank('two', `in: ./a/in, out: ./b/out, accounts: [${other}]`),
    ),
    ['rails[1].in 3'],
  )
  assert.deepEqual(
    of(
      bank('one', `in: ./a/in, out: ./a/out, accounts: [${valid}]`),
      bank('two', `in: ./b/in, out: ./b/out, accounts: [${valid}]`),
    ),
    ['rails[1].accounts 3'],
  )
  const { problems } = checkConfigFile(
    written(`rails:\n${bank('one', `in: ./a/in, out: ./a/in, accounts: [${valid}]`)}`),
  )
  assert.deepEqual(
    problems.map(({ message }) => message),
    ['is used by rails[0].in already'],
  )
})

test('a rail of another kind is looked at as opening it does: one for each chain, keys in one place, what it serves', () => {
  const problemsOf = (rails: string, custody = '') =>
    checkConfigFile(written(`rails:\n${rails}${custody}`)).problems.map(({ path: where, line }) => `${where} ${line}`)
  const node = 'nodes: ["http://localhost:1"]'
  const bitcoin = (name: string, more = '') => `  - { kind: bitcoin, name: ${name}, ${node}${more} }\n`
  const xrpl = (name: string, account: string) => `  - { kind: xrpl, name: ${name}, ${node}, account: ${account} }\n`
  const evm = (name: string) => `  - { kind: evm, name: ${name}, network: ETH, ${node} }\n`
  const cards = (more: string) =>
    `  - { kind: hyperswitch, name: cards, base_url: "http://localhost:1", api_key: "file:./token", webhook_key: "file:./token",
      profile_id: pro_1, serves: [VISA_MC, SEPA]${more} }\n`
  writeFileSync(join(folder, 'token'), 'hunter2\n')
  const address = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'
  assert.deepEqual(problemsOf(bitcoin('one') + bitcoin('two', ', asset: LTC') + evm('eth') + xrpl('xrp', address)), [])
  assert.deepEqual(problemsOf(cards(', payouts: true')), [])
  assert.deepEqual(problemsOf(cards('')), ['rails[0].serves 3'])
  assert.deepEqual(problemsOf(bitcoin('one') + bitcoin('two', ', asset: BTC')), ['rails[1] 3'])
  assert.deepEqual(problemsOf(evm('one') + evm('two')), ['rails[1] 3'])
  assert.deepEqual(problemsOf(xrpl('one', address) + xrpl('two', address)), ['rails[1] 3'])
  assert.deepEqual(problemsOf(xrpl('one', address.replace('Th', 'Tg'))), ['rails[0].account 2'])
  const keys = ', keys: { file: ./a-keystore, password: "file:./token" }'
  assert.deepEqual(problemsOf(bitcoin('one', keys)), ['rails[0].keys.file 2'])
  const signer = 'custody: { signer: { socket: ./signer.sock } }\n'
  assert.deepEqual(problemsOf(bitcoin('one', keys), signer), ['rails[0].keys 2', 'rails[0].keys.file 2'])
})
