import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** Writes a CONFIG_FILE in a temporary folder, which goes with the test. JSON is YAML. */
export function configFile(t: TestContext, content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-config-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'config.yaml')
  writeFileSync(path, JSON.stringify(content))
  return path
}
