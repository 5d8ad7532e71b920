import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

const run = promisify(execFile)

/** Open Sans wherever a page asks for the system's own letters; what it does not have comes from the machine. */
const fontsConf = (folder: string): string => `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${folder}</dir><dir>/usr/share/fonts</dir><cachedir>${folder}/cache</cachedir>
${['system-ui', 'sans-serif']
  .map((name) => `<alias binding="same"><family>${name}</family><prefer><family>Open Sans</family></prefer></alias>`)
  .join('\n')}
</fontconfig>`

/**
 * Lets browsers that are launched from now on draw with the letters of the packaged browser, so that pictures look the same on
 * every machine. Where there is no such package they are drawn with the machine's.
 */
export async function useOwnFonts(): Promise<void> {
  const archive = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../../bin/fonts.tar.br')
  if (process.platform !== 'linux' || !existsSync(archive)) return
  const folder = await mkdtemp(join(tmpdir(), 'cambio-fonts-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const tar = join(folder, 'fonts.tar')
  await pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(tar))
  await run('tar', ['-xf', tar, '-C', folder])
  await writeFile(join(folder, 'fonts.conf'), fontsConf(folder))
  process.env.FONTCONFIG_FILE = join(folder, 'fonts.conf')
}
