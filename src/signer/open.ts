import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import { newMnemonic } from '../rails/bitcoin/keys.ts'
import { makeKeys } from '../rails/keys/made-keys.ts'
import { bitcoinFamily } from '../rails/bitcoin/signing-family.ts'
import { evmFamily } from '../rails/evm/signing-family.ts'
import { readKeystore, readPasswordFile } from '../rails/keys/keystore.ts'
import { xrplFamily } from '../rails/xrpl/signing-family.ts'
import { readWholePolicy } from './allow-list.ts'
import { openJournal } from './journal.ts'
import { emptyPolicy, type Policy } from './policy.ts'
import { isAnswered, serveSigner } from './serve.ts'
import { openKeySigner } from './signer.ts'

/** The socket of the signer in a folder. */
export const socketIn = (folder: string): string => join(folder, 'signer.sock')

/**
 * Makes a signer's folder: keystore, its password, a policy that allows nothing, and an empty journal. Refuses a folder that has a signer,
 * or with `keep` makes only what is missing; keys and a journal that does not know them never meet. Gives what it has made.
 */
export async function initSigner(folder: string, { keep }: { keep: boolean }): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await refuseRunning(folder)
  const hasKeys = (await keystoresIn(folder)).length > 0
  const journal = await stat(join(folder, 'journal.jsonl')).catch(() => undefined)
  if (!hasKeys && journal !== undefined && journal.size > 0) {
    throw new Error(`${folder} has a journal and no keys: bring its keystores back from their copies.`)
  }
  if (keep && hasKeys && journal === undefined) {
    throw new Error(
      `${folder} has keys and no journal: without it the signer does not know what it has signed. Bring the journal back, or make an empty journal.jsonl where these keys never signed here.`,
    )
  }
  const made: string[] = []
  const isPolicyNew = await makeFile(join(folder, 'policy.yaml'), emptyPolicy)
  if (!isPolicyNew && !keep) throw new Error(`${folder} has a signer already.`)
  if (isPolicyNew) made.push('policy.yaml')
  // Before the keys: a start that ends between them is finished by the next one.
  if (await makeFile(join(folder, 'journal.jsonl'), '')) made.push('journal.jsonl')
  if (!hasKeys) {
    await makeKeys(folder, 'signer', newMnemonic)
    made.push('signer.keystore and its password')
  }
  return made
}

/** Writes a file that is not there. Gives whether it was not. */
async function makeFile(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw new Error(`${file} cannot be written.`, { cause: error })
  }
}

/** Before anything of a folder is opened: a journal that is opened is cut where its last line is not whole. */
async function refuseRunning(folder: string): Promise<void> {
  const socket = socketIn(folder)
  if (await isAnswered(socket)) throw new Error(`Another signer listens on ${socket}.`)
}

/** Opens the signer of a folder and listens on its socket. Refuses a policy that it does not understand, and a changed journal. */
export async function runSigner(
  folder: string,
  { clock, log, group }: { clock: Pick<Clock, 'realNow'>; log: Log; group?: string | undefined },
): Promise<{ stop(): Promise<void> }> {
  const mnemonics = await readMnemonics(folder)
  const policy = await policyIn(folder)
  const gid = group === undefined ? undefined : await idOfGroup(group)
  await refuseRunning(folder)
  const journal = await openJournal(join(folder, 'journal.jsonl'))
  const opened = { bitcoin: bitcoinFamily, xrpl: xrplFamily, evm: evmFamily }
  const signing = Object.fromEntries([...mnemonics].map(([name, mnemonic]) => [name, opened[name](mnemonic, policy)]))
  const signer = openKeySigner({ policy, journal, clock, log, families: signing })
  const server = await serveSigner(signer, { socket: socketIn(folder), gid }, log).catch(async (error: unknown) => {
    await journal.close()
    throw error
  })
  // Its group may pass through the folder to the socket, and read nothing in it.
  if (gid !== undefined) {
    await chown(folder, -1, gid)
    await chmod(folder, 0o710)
  }
  return {
    stop: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      await journal.close()
    },
  }
}

/** What keeps a signer from reading the policy in its folder, in a sentence; undefined for nothing. */
export const policyProblem = (folder: string): Promise<string | undefined> =>
  policyIn(folder).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )

const policyIn = async (folder: string): Promise<Policy> =>
  readWholePolicy(await readFile(join(folder, 'policy.yaml'), 'utf8'))

const families = ['bitcoin', 'xrpl', 'evm'] as const
type Family = (typeof families)[number]

/**
 * The mnemonics in a signer's folder: each family of chains has that of FAMILY.keystore, or else that of signer.keystore; a family without
 * either has none. Refuses a keystore that would not be used: its coins would stay where they are, and nothing would say so.
 */
async function readMnemonics(folder: string): Promise<Map<Family, string>> {
  const names = await keystoresIn(folder)
  if (names.length === 0) throw new Error(`${folder} has no keystore. Make one: cambio signer init`)
  const known: string[] = [...families, 'signer']
  const other = names.find((name) => !known.includes(name))
  if (other !== undefined) {
    throw new Error(`${other}.keystore is for no family of chains: ${families.join(', ')}, or signer for all others.`)
  }
  const mnemonics = new Map<string, string>()
  for (const name of names) mnemonics.set(name, await readMnemonic(folder, name))
  return new Map(
    families.flatMap((family): [Family, string][] => {
      const mnemonic = mnemonics.get(family) ?? mnemonics.get('signer')
      return mnemonic === undefined ? [] : [[family, mnemonic]]
    }),
  )
}

/** The names of the keystores in a folder. */
const keystoresIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).flatMap((name) => /^(.+)\.keystore$/.exec(name)?.[1] ?? [])

const readMnemonic = async (folder: string, name: string): Promise<string> =>
  readKeystore(join(folder, `${name}.keystore`), await readPasswordFile(join(folder, `${name}.keystore-password`)))

async function idOfGroup(name: string): Promise<number> {
  const lines = (await readFile('/etc/group', 'utf8')).split('\n').map((line) => line.split(':'))
  const [, , id] = lines.find(([known]) => known === name) ?? []
  if (id === undefined) throw new Error(`There is no group ${name}.`)
  return Number.parseInt(id, 10)
}
