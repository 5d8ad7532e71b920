import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { filesBelow, projectFolder } from './support/source.ts'
import { dialect, isCovered } from './support/vocabulary.ts'

const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8')
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'STYLE.md',
  'SECURITY.md',
  'openapi.yaml',
  'assets/languages/en.json',
]
const covered = [...documents, ...filesBelow('docs'), ...filesBelow('src'), ...filesBelow('bin')].filter(isCovered)

test('what people read is written in plain English', () => {
  const complaints = covered.flatMap((path) => dialect(path, read(path)))
  assert.deepEqual(complaints, [], 'see test/support/vocabulary.ts')
})

test('a word of the old dialect is found, whatever it is in', () => {
  const complaintsOf = (text: string, path = 'src/a.ts') => dialect(path, text).map((one) => one.replace(/^[^"]*/, ''))
  assert.deepEqual(complaintsOf('// priced anew'), ['"anew": say "again"'])
  assert.deepEqual(complaintsOf("const a = 'It goes on.'"), ['"goes on": say "continue"'])
  assert.deepEqual(complaintsOf('const goOn = 1'), ['"go on": say "continue"'])
  assert.deepEqual(complaintsOf('const a = <p>Where shall we send it?</p>', 'src/a.tsx').length, 1)
  assert.deepEqual(complaintsOf('', 'src/go-on.ts'), ['"go on": say "continue"'])
  assert.deepEqual(complaintsOf('type Told = 1'), [
    '"told": say "reported", "notified", "known"',
    '"Told": a type is a noun of the subject',
  ])
  assert.deepEqual(complaintsOf('Money that is none.', 'docs/a.md').length, 1)
  assert.deepEqual(complaintsOf('Upper-case letters and `anew`', 'docs/a.md'), [])
  assert.deepEqual(complaintsOf("const a = 'told'; db.sql`select told from anew`"), [])
})
