import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The absolute folder of package.json, migrations and node_modules. Found upward from this file, so that it is the same for
 * sources and build output.
 */
export const projectRoot: string = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('No package.json above the program: the installation is incomplete.')
  return findRoot(parent)
}
