import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'

import { read, rowsOf } from './support/papers.ts'
import { filesBelow } from './support/source.ts'

const page = 'docs/partner/contract.md'

type Row = { id: string; quote: string; shown: string }
type Named = { path: string; title: string }

/** The rows of every table of statements, in order. */
const rows = read(page)
  .split('\n## ')
  .slice(1)
  .flatMap((section) => rowsOf(section))
  .map(([id = '', quote = '', shown = '']): Row => ({ id, quote, shown }))

/** The tests that a row names, each in backticks. */
const namedIn = ({ shown }: Row): Named[] =>
  shown.split('<br>').map((one) => {
    const [, path = '', title = ''] = /^`((?:src|test)\/[\w./-]+\.test\.ts): (.+)`$/.exec(one) ?? []
    return { path, title }
  })

/** The titles of the tests in a file that run: `it('...', ...)` and `test('...', ...)` without an option to skip them. */
function titlesIn(path: string): string[] {
  const called =
    /(?<![\w.])(?:it|(?:t\.)?test)\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"),(?!\s*\{[^}]*\b(?:skip|todo|only)\b)/g
  return [...read(path).matchAll(called)].map(([, single, double]) => (single ?? double ?? '').replace(/\\(.)/g, '$1'))
}

const pins = new Map(rowsOf(read(page).split('\n## ')[0] ?? '').map(([name = '', value = '']) => [name, value]))

describe('the table of the contract', () => {
  it('has every pinned statement verbatim and once, with numbers without a gap', () => {
    assert.deepEqual(
      rows.map(({ id }) => id),
      rows.map((_, at) => `C${at + 1}`),
    )
    const quotes = rows.map(({ quote }) => quote)
    assert.equal(new Set(quotes).size, quotes.length)
    assert.equal(String(rows.length), pins.get('Statements'))
    const pinned = createHash('sha256').update(quotes.join('\n')).digest('hex')
    assert.equal(pinned, pins.get('The quotes below, one per line, SHA-256'))
    assert.match(pins.get('The contract, SHA-256') ?? '', /^[0-9a-f]{64}$/)
  })

  it('names tests that exist under their exact names and are not skipped', () => {
    const files = new Set([...filesBelow('src'), ...filesBelow('test')])
    const titles = new Map<string, string[]>()
    const isThere = ({ path, title }: Named): boolean => {
      if (!files.has(path)) return false
      titles.set(path, titles.get(path) ?? titlesIn(path))
      return titles.get(path)?.includes(title) ?? false
    }
    const missing = rows.flatMap((row) =>
      namedIn(row)
        .filter((named) => !isThere(named))
        .map(({ path, title }) => `${row.id}: ${path || row.shown}: ${title}`),
    )
    assert.deepEqual(missing, [])
    assert.ok(titles.size > 20)
  })

  it('leaves no statement without a test', () => {
    for (const row of rows) assert.ok(namedIn(row).length > 0, row.id)
  })
})
