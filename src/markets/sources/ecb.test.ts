import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readRates } from './ecb.ts'

/** As published at www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml, read 2026-11-23. */
const published = (inner: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>${inner}</Cube>
</gesmes:Envelope>`

test('every rate is a bid and an ask for the euro, of its day', () => {
  const rates = readRates(
    published(
      '<Cube time="2026-11-20"><Cube currency="USD" rate="1.1000"/><Cube currency="JPY" rate="172.35"/></Cube>',
    ),
    7,
  )
  const at = Date.parse('2026-11-20T12:15:00Z')
  assert.deepEqual(Object.fromEntries(rates), {
    'EUR/USD': { bid: '1.1', ask: '1.1', receivedAt: 7, at },
    'EUR/JPY': { bid: '172.35', ask: '172.35', receivedAt: 7, at },
  })
})

test('a malformed rate is no price, and the others stay', () => {
  const cubes =
    '<Cube time="2026-11-20"><Cube currency="USD" rate="N/A"/><Cube currency="GBP" rate="0"/><Cube currency="CHF" rate="0.93"/></Cube>'
  const rates = readRates(published(cubes), 7)
  assert.deepEqual(rates.get('EUR/USD'), { unreadable: 'malformed' })
  assert.deepEqual(rates.get('EUR/GBP'), { unreadable: 'malformed' })
  assert.ok('bid' in (rates.get('EUR/CHF') ?? {}))
})

for (const [what, xml] of [
  [
    'a document type',
    `<!DOCTYPE a [<!ENTITY b "c">]>${published('<Cube time="2026-11-20"/>').replace(/^<\?xml.*\?>\n/, '')}`,
  ],
  ['no day', published('<Cube currency="USD" rate="1.1"/>')],
  ['an impossible day', published('<Cube time="2026-13-40"/>')],
  ['half a file', published('<Cube time="2026-11-20">').slice(0, 300)],
  ['a page', '<html><body>Sorry'],
  ['nothing', ''],
] as const) {
  test(`${what} is refused`, () => {
    assert.throws(() => readRates(xml, 7))
  })
}
