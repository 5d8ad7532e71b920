import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { projectRoot } from '../src/platform/lib/root.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-new-rail-'))
const rails = join(folder, 'src/rails')
after(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(projectRoot, 'bin/new-rail.js'), ...args], { encoding: 'utf8' })

/** Links everything below a folder of the project but one name, so that what is made there is beside the real files. */
function link(path: string, except: string): void {
  mkdirSync(join(folder, path), { recursive: true })
  for (const name of readdirSync(join(projectRoot, path))) {
    if (name !== except) symlinkSync(join(projectRoot, path, name), join(folder, path, name))
  }
}

test('a new rail compiles, names what to fill in, and is made once', () => {
  link('src', 'rails')
  link('src/rails', 'acme-pay')
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  const made = run('acme-pay', rails)
  assert.equal(made.status, 0, made.stderr)
  assert.deepEqual(readdirSync(join(rails, 'acme-pay')), [
    'kind.ts',
    'rail.test.ts',
    'rail.ts',
    'settings.ts',
    'translation.ts',
  ])
  for (const place of ['translation.ts', 'rail.ts, deposit', 'rail.test.ts', 'src/rails/kinds.ts']) {
    assert(made.stdout.includes(place), place)
    assert(readFileSync(join(rails, 'acme-pay/rail.test.ts'), 'utf8').includes(place), place)
  }

  const { compilerOptions } = JSON.parse(readFileSync(join(projectRoot, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object
  }
  const options = { ...compilerOptions, noEmit: true, incremental: false, tsBuildInfoFile: null }
  const config = { compilerOptions: { ...options, rootDir: '/' }, include: ['src/rails/acme-pay'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const tsc = spawnSync(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    encoding: 'utf8',
  })
  assert.equal(tsc.status, 0, tsc.stdout)

  assert.equal(run('acme-pay', rails).status, 1, 'it overwrites nothing')
  assert.equal(run('Acme', rails).status, 2)
  assert.equal(run().status, 2)
})
