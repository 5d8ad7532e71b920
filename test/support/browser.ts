import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

import { type Browser, chromium } from 'playwright-core'

import { notePosts } from './posted-forms.ts'

const run = promisify(execFile)

/** Where a browser that somebody installed is found. */
const installed = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The browser calls nobody but the pages under test. As root it cannot use its own sandbox. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The packaged fonts next to this file, and the machine's own if it has any. */
const fontsConf = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir><cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>`

/** How long a page may take for what a test waits for: on a busy machine only what hangs takes as long. */
const patienceMs = 120_000

type Program = { path: string; env: Record<string, string> }

/**
 * The reason why browser tests are skipped on this machine, or false; made for `test(name, { skip: noBrowser() }, ...)`.
 * Never skips with CI=true: there, launching fails instead.
 */
export function noBrowser(): string | false {
  const { CI, CHROMIUM_PATH } = process.env
  if (CI === 'true' || CHROMIUM_PATH || installed.some(existsSync) || packaged()) return false
  return 'no browser here: install Chromium, or name one in CHROMIUM_PATH'
}

/**
 * Starts a headless browser with an empty profile in a temporary folder, with further flags if there are any. Close it, or the
 * test file does not end.
 */
export async function launchBrowser(further: string[] = []): Promise<Browser> {
  const { path, env } = await findBrowser()
  const options = {
    executablePath: path,
    args: [...flags, ...further],
    env: { ...process.env, ...env },
    timeout: patienceMs,
  }
  // A browser that crashes before it opens a page says nothing of what is tested: once more.
  const browser = await chromium.launch(options).catch((error: unknown) => {
    console.error(`The browser did not start: ${String(error).split('\n', 1)[0]}`)
    return chromium.launch(options)
  })
  const open = browser.newContext.bind(browser)
  browser.newContext = async (window) => {
    const context = await open(window)
    context.setDefaultTimeout(patienceMs)
    notePosts(context)
    return context
  }
  return browser
}

/**
 * The packaged Chromium first: it has no windows, with which an installed one takes five times as much of the processor for each
 * profile that is opened.
 */
async function findBrowser(): Promise<Program> {
  const { CHROMIUM_PATH } = process.env
  if (CHROMIUM_PATH) return { path: CHROMIUM_PATH, env: {} }
  const archives = packaged()
  if (archives) return unpackOnce(archives)
  const path = installed.find(existsSync)
  if (!path) throw new Error('There is no browser: install Chromium, or name one in CHROMIUM_PATH.')
  return { path, env: {} }
}

/** The folder of the Chromium that lies compressed in an npm package, if this machine can run it. */
function packaged(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '../../bin')
  return existsSync(folder) ? folder : undefined
}

/**
 * Unpacks the packaged Chromium next to the other caches of node_modules, with the libraries and fonts that a bare machine lacks.
 * The folder appears whole, by a rename, so that two test files may do this at once.
 */
async function unpackOnce(archives: string): Promise<Program> {
  const cache = join(archives, '../../../.cache')
  const folder = join(cache, 'chromium')
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true })
    const fresh = await mkdtemp(join(cache, 'chromium-'))
    await Promise.all([
      unpackFile(join(archives, 'chromium.br'), join(fresh, 'chromium')),
      unpackFolder(join(archives, 'swiftshader.tar.br'), fresh),
      unpackFolder(join(archives, 'fonts.tar.br'), fresh),
      unpackFolder(join(archives, 'al2023.tar.br'), fresh),
    ])
    await writeFile(join(fresh, 'fonts.conf'), fontsConf)
    await rename(fresh, folder).catch(async (error: unknown) => {
      if (!existsSync(folder)) throw error
      await rm(fresh, { recursive: true })
    })
  }
  const { FONTCONFIG_FILE = join(folder, 'fonts.conf') } = process.env
  const env = { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE }
  return { path: join(folder, 'chromium'), env }
}

const unpackFile = (archive: string, file: string): Promise<void> =>
  pipeline(createReadStream(archive), createBrotliDecompress(), createWriteStream(file, { mode: 0o755 }))

async function unpackFolder(archive: string, folder: string): Promise<void> {
  const tar = join(folder, basename(archive, '.br'))
  await unpackFile(archive, tar)
  await run('tar', ['-xf', tar, '-C', folder])
  await rm(tar)
}
