import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'

import { readMutants, testsOf } from './mutants/mutant.ts'
import { projectFolder } from './support/source.ts'

const mutants = readMutants()

describe('every mutant', () => {
  it('still takes its guard out of the sources as they are', () => {
    assert.ok(mutants.length >= 20)
    for (const { name, path } of mutants) {
      const { status, stderr } = spawnSync('git', ['apply', '--check', path], { cwd: projectFolder, encoding: 'utf8' })
      assert.equal(status, 0, `${name}: ${stderr}`)
    }
  })

  it('names tests that there are, by one word each', () => {
    for (const { name, tests } of mutants) {
      for (const word of tests) assert.notDeepEqual(testsOf([word]), [], `${name}: no test file is ${word}`)
    }
  })

  it('says which promise is broken without its guard', () => {
    for (const { name, guard } of mutants) assert.match(guard, /\. Keeps \S/, name)
  })
})
