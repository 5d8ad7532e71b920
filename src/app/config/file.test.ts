import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

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
