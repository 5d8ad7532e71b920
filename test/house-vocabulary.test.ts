import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { filesBelow, projectFolder } from './support/source.ts'
import { dialect, isCovered } from './support/vocabulary.ts'

/** Files that still have some of the old dialect. Files leave this list; none may join it. */
const list = 'test/support/vocabulary-left.txt'
const update = 'WRITE_VOCABULARY=1 npm test -- house-vocabulary'

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
  const left = read(list).split('\n').filter(Boolean)
  const complaints = new Map(covered.map((path) => [path, dialect(path, read(path))]))
  const offenders = covered.filter((path) => complaints.get(path)?.length).toSorted()
  const joined = offenders.filter((path) => !left.includes(path))
  assert.deepEqual(
    joined.flatMap((path) => complaints.get(path) ?? []),
    [],
    'see test/support/vocabulary.ts',
  )

  const text = offenders.map((path) => `${path}\n`).join('')
  if (process.env.WRITE_VOCABULARY) writeFileSync(join(projectFolder, list), text)
  else
    assert.deepEqual(
      left.filter((path) => !offenders.includes(path)),
      [],
      `these are clean and leave ${list}: ${update}`,
    )
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
