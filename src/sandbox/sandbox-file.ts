import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What `sandbox.json` says: where the sandbox answers, and the secrets of its demo partners. */
export type Sandbox = {
  url: string
  partner_id: string
  public_key: string
  secret_key: string
  revoked_key: string
  widget_secret: string
  webhook_secret: string
  second_partner: { partner_id: string; public_key: string; secret_key: string }
  operator: { email: string; password: string }
  /** Somebody of the first partner, for the portal. */
  portal: { email: string; password: string }
}

/** The same before the sandbox answers anywhere. */
export type Seeds = Omit<Sandbox, 'url'>

/** Writes `sandbox.json`, once the sandbox answers at its address. */
export async function tellSandbox(dataDir: string, sandbox: Sandbox): Promise<void> {
  await writeWhole(fileOf(dataDir), sandbox)
  await rm(seedsOf(dataDir), { force: true })
}

/** What `sandbox.json` says; undefined without that file. */
export const readSandbox = (dataDir: string): Promise<Sandbox | undefined> => read<Sandbox>(fileOf(dataDir))

/** Keeps the secrets of the demo partners until `sandbox.json` can be written. */
export const keepSeeds = (dataDir: string, seeds: Seeds): Promise<void> => writeWhole(seedsOf(dataDir), seeds)

/** The secrets that an earlier start has kept. */
export const readSeeds = async (dataDir: string): Promise<Seeds | undefined> =>
  (await read<Seeds>(seedsOf(dataDir))) ?? (await readSandbox(dataDir))

async function read<Content>(file: string): Promise<Content | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Content
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a file whole or not at all, readable by its owner only. */
async function writeWhole(file: string, content: Seeds): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await chmod(`${file}.new`, 0o600)
  await rename(`${file}.new`, file)
}

const fileOf = (dataDir: string): string => join(dataDir, 'sandbox.json')
const seedsOf = (dataDir: string): string => join(dataDir, 'sandbox.seeds.json')
