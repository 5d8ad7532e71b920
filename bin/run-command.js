import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { root } from './build.js'

/**
 * Runs a command line with the compiled `src/cli.ts`, in this process. Node 22.1 and newer keep the compiled code for the next
 * run.
 *
 * @param {string[]} args what follows `bin/cambio`
 */
export async function runCommand(args) {
  const compiled = join(root, 'dist/src/cli.js')
  if (!existsSync(compiled)) {
    console.error('Cambio is not built yet. Please run: npm ci && npm run build')
    process.exitCode = 1
    return
  }
  cacheCompiledCode(join(root, 'node_modules/.cache/compiled'))

  /** @type {unknown} */
  const imported = await import(pathToFileURL(compiled).href)
  const { runCommandLine } = /** @type {{ runCommandLine: (args: string[]) => Promise<number> }} */ (imported)
  process.exitCode = await runCommandLine(args)
}

/** @param {string} folder */
function cacheCompiledCode(folder) {
  const { enableCompileCache } = /** @type {{ enableCompileCache?: (folder: string) => unknown }} */ (
    /** @type {unknown} */ (module)
  )
  enableCompileCache?.(folder)
}
