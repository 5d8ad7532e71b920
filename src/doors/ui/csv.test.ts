import assert from 'node:assert/strict'
import { test } from 'node:test'

import { csvLine } from './csv.ts'

test('a cell that a spreadsheet would run is text, in full width and behind spaces too; an amount below zero is not', () => {
  for (const cell of ['=1+1', '+1', '@A1', '-A1', ' =1+1', '＝1+1', '＋1', '＠A1', '－A1', '\u00a0＝1'])
    assert.equal(csvLine([cell]), `'${cell}\r\n`)
  assert.equal(csvLine(['-12.50', 'a, "b"', null]), '-12.50,"a, ""b""",\r\n')
})
