import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { projectFolder } from './support/source.ts'

const program = join(projectFolder, 'bin/test-process.js')
const folder = mkdtempSync(join(tmpdir(), 'cambio-test-process-'))
after(() => rmSync(folder, { recursive: true }))

/** Writes a queue of test files with these texts. Gives its folder. */
function writeQueue(...texts: string[]): string {
  const queue = mkdtempSync(join(folder, 'queue-'))
  const files = texts.map((text, index) => {
    const file = join(queue, `${index}.mjs`)
    writeFileSync(file, `import assert from 'node:assert'\n${text}`)
    return file
  })
  writeFileSync(join(queue, 'files.json'), JSON.stringify({ files, timeout: 60_000 }))
  return queue
}

/** Runs the files of a queue in one process, as `npm test` does. */
function runQueue(queue: string): { status: number | null; output: string } {
  const { PATH = '' } = process.env
  const options = { env: { PATH, TEST_QUEUE: queue } }
  const { status, stdout } = spawnSync(process.execPath, ['--test-reporter=tap', program], options)
  return { status, output: String(stdout) }
}

test('test files that share a process share no hook, and run one after the other', () => {
  const text = (name: string) => `
    import { after, before, beforeEach, describe, it, test } from 'node:test'
    globalThis.open ??= new Set()
    before(() => globalThis.open.add('${name}'))
    after(() => globalThis.open.delete('${name}'))
    let times = 0
    beforeEach(() => (times += 1))
    const isAlone = () => assert.deepEqual([[...globalThis.open], times > 0], [['${name}'], true])
    test('before an await', isAlone)
    await new Promise((resolve) => setTimeout(resolve, 10))
    test('after an await', isAlone)
    describe('a suite', () => it('inside', isAlone))`
  const { status, output } = runQueue(writeQueue(text('one'), text('other')))
  assert.equal(status, 0, output)
  assert.match(output, /^# pass 6$/m)
})

test('a test file that fails or cannot be loaded fails the run, and the others still run', () => {
  const { status, output } = runQueue(
    writeQueue(
      `import { test } from 'node:test'; test('bad', () => assert.fail('for a reason'))`,
      `import { nothing } from 'node:fs'`,
      `import { test } from 'node:test'; test('good', () => {})`,
    ),
  )
  assert.equal(status, 1)
  for (const line of [/not ok \d+ - bad/, /for a reason/, /not ok \d+ - .*1\.mjs/, / ok \d+ - good/]) {
    assert.match(output, line)
  }
})

test('an error that nobody catches fails the file that is under way at once, and the others still run', () => {
  for (const thrown of [`setTimeout(() => { throw new Error('aside') })`, `Promise.reject(new Error('aside'))`]) {
    const { status, output } = runQueue(
      writeQueue(
        `import { test } from 'node:test'; test('waits', { timeout: 300_000 }, () => new Promise(() => { setInterval(() => {}, 1000).unref(); ${thrown} }))`,
        `import { test } from 'node:test'; test('good', () => {})`,
      ),
    )
    assert.equal(status, 1)
    for (const line of [/not ok \d+ - .*0\.mjs/, /aside/, / ok \d+ - good/]) assert.match(output, line)
  }
})

test('processes that share a queue run each file once', () => {
  const text = `import { test } from 'node:test'; test('one', () => {})`
  const queue = writeQueue(text, text, text)
  writeFileSync(join(queue, '1'), '')
  const [first, second] = [runQueue(queue), runQueue(queue)]
  assert.deepEqual([first.status, second.status], [0, 0])
  assert.match(first.output, /^# pass 2$/m)
  assert.doesNotMatch(second.output, /ok \d/)
  assert.deepEqual(
    readdirSync(queue).filter((name) => /^\d+$/.test(name)),
    ['0', '1', '2'],
  )
})
