import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { projectFolder } from './support/source.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-together-'))
after(() => rmSync(folder, { recursive: true }))

let queues = 0
const ours = (name: string): string => pathToFileURL(join(projectFolder, 'bin', name)).href

/** Runs files with these texts in one process, as `npm test` does. Gives the exit code, and what it reported and printed. */
function runTogether(...texts: string[]): { status: number | null; out: string } {
  const files = texts.map((text, at) => {
    const file = join(folder, `${queues}-${at}.mjs`)
    writeFileSync(file, `import assert from 'node:assert'\n${text}`)
    return file
  })
  const [program, queue] = [join(folder, 'program.mjs'), join(folder, `queue-${(queues += 1)}`)]
  writeFileSync(
    program,
    `import { makeQueue } from '${ours('file-queue.js')}'
     import { runTogether } from '${ours('together.js')}'
     makeQueue(${JSON.stringify(queue)}, ${JSON.stringify(files)})
     await runTogether(${JSON.stringify(queue)}, { most: 3, timeoutMs: 5_000 })`,
  )
  const { PATH = '' } = process.env
  const { status, stdout } = spawnSync(process.execPath, ['--test-reporter=tap', program], { env: { PATH } })
  return { status, out: String(stdout) }
}

test('test files that share a process share no hook, and run one after the other', () => {
  const text = (own: string) => `
    import { after, before, beforeEach, describe, it, test } from 'node:test'
    globalThis.open ??= new Set()
    before(() => globalThis.open.add('${own}'))
    after(() => globalThis.open.delete('${own}'))
    let times = 0
    beforeEach(() => (times += 1))
    const isAlone = () => assert.deepEqual([[...globalThis.open], times > 0], [['${own}'], true])
    test('at the top', isAlone)
    describe('a suite', () => it('inside', isAlone))`
  const { status, out } = runTogether(text('one'), text('other'))
  assert.equal(status, 0, out)
  assert.match(out, /^# pass 4$/m)
})

test('a test file that fails or cannot be read fails, and those beside it are run all the same', () => {
  const { status, out } = runTogether(
    `import { test } from 'node:test'; test('bad', () => assert.fail('for a reason'))`,
    `import { nothing } from 'node:fs'`,
    `import { test } from 'node:test'; test('good', () => {})`,
  )
  assert.equal(status, 1)
  for (const said of [/not ok \d+ - bad/, /for a reason/, /not ok \d+ - this file can be read/, / ok \d+ - good/]) {
    assert.match(out, said)
  }
})

test('a process takes as many test files as it may, and leaves the others to the next', () => {
  const text = `import { test } from 'node:test'; test('one', () => {})`
  const { status, out } = runTogether(text, text, text, text)
  assert.equal(status, 0, out)
  assert.match(out, /^# pass 3$/m)
})
