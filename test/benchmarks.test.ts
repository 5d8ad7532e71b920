import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

import { projectFolder } from './support/source.ts'

test('every benchmark starts, does a round, and leaves its books in order', { timeout: 600_000 }, async () => {
  const run = join(projectFolder, 'dist/bench/run.js')
  // Without source maps: a dozen processes would read them all.
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)(process.execPath, [run, '--smoke'], { env })
  // The first line says on which machine.
  const [, ...lines] = stdout.trim().split('\n')
  for (const line of lines) assert.match(line, /^[a-z0-9-]+ ours=[\d.]+ limit=[\d.]+ ratio=[\d.]+ /, stdout)
  const measured = lines.map((line) => line.slice(0, line.indexOf(' ')))
  const results = JSON.parse(readFileSync(join(projectFolder, 'bench/results.json'), 'utf8')) as Record<
    string,
    { lines: { name: string }[] }
  >
  const kept = Object.values(results).flatMap(({ lines: those }) => those)
  const lost = kept.map(({ name }) => name).filter((name) => !measured.includes(name))
  assert.deepEqual(lost, [], 'what was measured last is still measured')
  assert.equal(new Set(measured).size, measured.length)
})
