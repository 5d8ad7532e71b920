import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { root } from './build.js'

/**
 * Hands a command line to the compiled `src/cli.ts`, in this process. Where Node can (22.1 and newer), what it compiles is
 * kept for the next run.
 *
 * @param {string[]} args what was typed after `bin/cambio`
 */
export async function runCommand(args) {
  const compiled = join(root, 'dist/src/cli.js')
  if (!existsSync(compiled)) {
    console.error('Cambio is not built yet. Please run: npm ci && npm run build')
    process.exitCode = 1
    return
  }
  keepCompiled(join(root, 'node_modules/.cache/compiled'))

  /** @type {unknown} */
  const imported = await import(pathToFileURL(compiled).href)
  const { runCommandLine } = /** @type {{ runCommandLine: (args: string[]) => Promise<number> }} */ (imported)
  process.exitCode = await runCommandLine(args)
}

/** @param {string} folder */
function keepCompiled(folder) {
  const { enableCompileCache } = /** @type {{ enableCompileCache?: (folder: string) => unknown }} */ (
    /** @type {unknown} */ (module)
  )
  enableCompileCache?.(folder)
}
