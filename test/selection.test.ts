import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'

import { coveringTests, type ImportGraph, nearestTests, readImports } from './support/selection.ts'
import { projectFolder } from './support/source.ts'

const at = (name: string) => join(projectFolder, 'dist/src', name)
const file = (imports: string[], usesPlatform = false) => ({ imports: imports.map(at), usesPlatform })

test('the pass on another Node runs the nearest test of each source that uses Node or a package', () => {
  const graph: ImportGraph = new Map([
    [at('socket.js'), file([], true)],
    [at('sum.js'), file([])],
    [at('service.js'), file(['socket.js', 'sum.js'])],
    [at('socket.test.js'), file(['socket.js'], true)],
    [at('sum.test.js'), file(['sum.js'], true)],
    [at('service.test.js'), file(['service.js'], true)],
  ])
  const tests = ['socket.test.js', 'sum.test.js', 'service.test.js'].map(at)
  assert.deepEqual(nearestTests(graph, tests), [at('socket.test.js')])
  assert.deepEqual(nearestTests(graph, [at('service.test.js')]), [at('service.test.js')])
})

test('every source that uses Node or a package, and that any test imports, is imported by a test of that pass', () => {
  const graph = readImports()
  const tests = [...graph.keys()].filter((name) => name.endsWith('.test.js'))
  const subjectsOf = (files: string[]): string[] => {
    const reached = new Set<string>()
    const reach = (name: string): void => {
      if (reached.has(name)) return
      reached.add(name)
      graph.get(name)?.imports.forEach(reach)
    }
    files.forEach(reach)
    const isSubject = (name: string) => name.startsWith(at('')) && !name.endsWith('.test.js')
    return [...reached].filter((name) => isSubject(name) && graph.get(name)?.usesPlatform).toSorted()
  }
  const chosen = nearestTests(graph, tests)
  assert.deepEqual(subjectsOf(chosen), subjectsOf(tests))
  assert.ok(subjectsOf(tests).length > 100 && chosen.length < tests.length / 2)
})

test('the pass on another PostgreSQL sends every statement that the suite sent, in few and quick files', () => {
  const record = {
    slow: { seconds: 50, statements: ['a', 'b'] },
    whole: { seconds: 3, statements: ['a', 'b', 'c'] },
    quick: { seconds: 0.1, statements: ['a'] },
    other: { seconds: 9, statements: ['d'] },
    none: { seconds: 1, statements: [] },
  }
  assert.deepEqual(coveringTests(record), ['whole', 'other'])
  assert.deepEqual(coveringTests(record, ['slow', 'other']), ['whole'])
  assert.deepEqual(coveringTests(record, ['whole', 'other']), [])
})
