import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import { until } from '../../../test/support/telling.ts'
import { openCountries } from './country-of.ts'

const packed = (name: string): Buffer =>
  readFileSync(fileURLToPath(import.meta.resolve(`@ip-location-db/geo-whois-asn-country-mmdb/${name}`)))
const whole = (): Buffer => packed('geo-whois-asn-country.mmdb')

/** The whole database with one country's code written over with other bytes: `B` and two letters is a text of two. */
function withCode(from: string, to: string): Buffer {
  const bytes = whole()
  const at = bytes.indexOf(Buffer.from(`B${from}`), bytes.lastIndexOf('country_code') - 5_000)
  assert.ok(at > 7_000_000, 'the code is in the data section')
  bytes.write(to, at, 'latin1')
  return bytes
}

/** A readable database of something else than countries. */
function withoutCountries(): Buffer {
  const bytes = whole()
  for (let at = bytes.indexOf('country_code'); at !== -1; at = bytes.indexOf('country_code', at))
    bytes.write('province', at)
  return bytes
}

/** Countries with an operator's file, a stopped clock, and the log. */
function openWithFile(t: TestContext, bytes?: Buffer) {
  const folder = mkdtempSync(join(tmpdir(), 'countries-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'country.mmdb')
  const logged: string[] = []
  let now = Date.UTC(2026, 10, 20)
  const put = (next: Buffer) => {
    writeFileSync(join(folder, 'new'), next)
    renameSync(join(folder, 'new'), file)
  }
  if (bytes) put(bytes)
  const note = (_facts: object, message: string) => void logged.push(message)
  const clock = { realNow: () => new Date(now) }
  const countries = openCountries({ file, clock, log: { info: note, warn: note }, everyMs: 60_000 })
  return { ...countries, put, logged, file, pass: (ms: number) => (now += ms) }
}

const own = openCountries({
  file: undefined,
  clock: { realNow: () => new Date(0) },
  log: { info: () => assert.fail(), warn: () => assert.fail() },
})

test('the country of an address is known, in IPv4 and IPv6, in every spelling', () => {
  const rows = table(`
    address                     country
    8.8.8.8                     US
    46.4.0.1                    DE
    200.160.2.3                 BR
    133.11.0.1                  JP
    2001:4860:4860::8888        US
    2001:4860:4860:0:0:0:0:8888  US
    2A01:4F8::1                 DE
    ::ffff:46.4.0.1             DE
    ::FFFF:46.4.0.1             DE
    ::ffff:2e04:1               DE
    0:0:0:0:0:ffff:46.4.0.1     DE
    2606:4700:4700::1111        US
  `)
  for (const { address = '', country } of rows) assert.equal(own.countryOf(address), country, address)
})

test('an address that is not the public internet’s has no country', () => {
  const addresses = `10.0.0.1 127.0.0.1 172.16.0.1 192.168.1.1 169.254.1.1 100.64.0.1 192.0.2.1 198.51.100.7 203.0.113.5
    198.18.0.1 224.0.0.1 255.255.255.255 0.0.0.0 ::1 :: fe80::1 fe80::1%eth0 fc00::1 2001:db8::1 ff02::1 2002:2e04:1::1
    64:ff9b::2e04:1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::46.4.0.1 2001:0:2e04:1::1`
  for (const address of addresses.split(/\s+/)) assert.equal(own.countryOf(address), undefined, address)
})

test('nothing that can be asked throws', () => {
  for (const text of [
    '',
    ' 8.8.8.8',
    '8.8.8',
    '8.8.8.8:80',
    '[::1]',
    '08.8.8.8',
    '1e3.1.1.1',
    'example.com',
    '::g',
    '%',
  ]) {
    assert.equal(own.countryOf(text), undefined, text)
  }
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => /^[A-Z]{2}$/.test(own.countryOf(text) ?? 'ZZ')),
  )
})

test('a newer file is taken up while running, within its time and not before', async (t) => {
  const countries = openWithFile(t, whole())
  assert.equal(countries.countryOf('46.4.0.1'), 'DE')
  countries.put(withCode('DE', 'BAT'))
  countries.pass(59_999)
  assert.equal(countries.countryOf('46.4.0.1'), 'DE')
  await countries.look()
  assert.equal(countries.countryOf('46.4.0.1'), 'AT')

  countries.put(whole())
  countries.pass(60_000)
  assert.equal(countries.countryOf('46.4.0.1'), 'AT', 'the question that begins the look is answered at once')
  await countries.look()
  assert.equal(countries.countryOf('46.4.0.1'), 'DE')
  await countries.look()
  assert.equal(countries.logged.length, 2, 'a file that stays is not read again')
})

test('the question alone, after its time, brings the newer file in', async (t) => {
  const countries = openWithFile(t, whole())
  assert.equal(countries.countryOf('46.4.0.1'), 'DE')
  countries.put(withCode('DE', 'BAT'))
  countries.pass(60_000)
  await until(() => countries.countryOf('46.4.0.1') === 'AT', 'the newer file')
})

test('a broken file changes nothing, and is logged once', async (t) => {
  const countries = openWithFile(t, withCode('DE', 'BAT'))
  assert.equal(countries.countryOf('46.4.0.1'), 'AT')
  const broken = [
    Buffer.alloc(0),
    whole().subarray(0, 5_000_000),
    whole().subarray(2_000_000),
    Buffer.concat([whole().subarray(0, 1_000), whole().subarray(-1_000)]),
    Buffer.from('not a database'),
    withoutCountries(),
  ]
  for (const [index, bytes] of broken.entries()) {
    countries.put(bytes)
    for (let again = 0; again < 3; again += 1) await countries.look()
    assert.equal(countries.logged.length, index + 1)
    assert.equal(countries.countryOf('46.4.0.1'), 'AT')
  }
  rmSync(countries.file)
  for (let again = 0; again < 3; again += 1) await countries.look()
  assert.equal(countries.logged.length, broken.length + 1)
  assert.equal(countries.countryOf('46.4.0.1'), 'AT')

  countries.put(whole())
  await countries.look()
  assert.equal(countries.countryOf('46.4.0.1'), 'DE')
})

test('without a usable file of the operator’s, the database that came with the service answers, until one comes', async (t) => {
  for (const bytes of [undefined, Buffer.from('not a database')]) {
    const countries = openWithFile(t, bytes)
    assert.deepEqual(countries.logged, [], 'nothing is read before the first question')
    assert.equal(countries.countryOf('46.4.0.1'), 'DE')
    await countries.look()
    assert.equal(countries.logged.length, 1)
    countries.put(withCode('DE', 'BAT'))
    await countries.look()
    assert.equal(countries.countryOf('46.4.0.1'), 'AT')
  }
})

test('a database of IPv4 alone knows no IPv6 address', (t) => {
  const countries = openWithFile(t, packed('geo-whois-asn-country-ipv4.mmdb'))
  assert.equal(countries.countryOf('46.4.0.1'), 'DE')
  assert.equal(countries.countryOf('::ffff:46.4.0.1'), 'DE')
  assert.equal(countries.countryOf('2001:4860:4860::8888'), undefined)
})

test('a damaged record has no country, and is logged once', (t) => {
  const countries = openWithFile(t, withCode('JP', '\xfe\xff\xff'))
  for (let again = 0; again < 3; again += 1) assert.equal(countries.countryOf('133.11.0.1'), undefined)
  assert.equal(countries.countryOf('46.4.0.1'), 'DE')
  assert.ok(countries.logged.length <= 1)
})

test('an unknown country code is no country', (t) => {
  for (const code of ['EU', 'ZZ', 'd1', '\0\0']) {
    assert.equal(openWithFile(t, withCode('DE', `B${code}`)).countryOf('46.4.0.1'), undefined, code)
  }
})
