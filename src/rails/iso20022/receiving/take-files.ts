import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { lstat, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'

import type { Bank, BankReports } from '../bank.ts'
import { FileFault } from '../file-fault.ts'
import { type BankMessage, readMessage } from '../reading/bank-message.ts'
import { isZip, unzip } from '../reading/zip.ts'
import * as queries from './queries.ts'
import { type ReadFile, storeFile } from './store-file.ts'

/** A file in the folder, as it was found. */
type FoundFile = { name: string; path: string; size: number; modifiedAt: number }

/** Larger than any statement of an account like ours: 10,000 bookings are some 20 MB. */
const largest = 512 * 1024 * 1024

/** Hidden files, and names under which programs write what is not complete yet. */
const unfinished = /^\.|\.(tmp|part|partial|filepart|crdownload|swp|lock)$|~$/i

/**
 * Takes every complete file in the folder, each once, in the order of their names: what it reports is booked in one block, then
 * the file moves to `done/`. One that cannot be taken moves to `refused/` with its reason, and is read again when a person says so
 * or a statement has come that it continues.
 */
export async function takeFiles(bank: Bank, holder: string, reports: BankReports): Promise<void> {
  await clearRefused(bank)
  for (const file of await filesIn(bank.inFolder)) await tryFile(bank, { holder, reports }, file)
  const taken = new Set<bigint>()
  let isOver = false
  while (!isOver) isOver = !(await readAgain(bank, { holder, reports }, taken))
}

async function tryFile(bank: Bank, taker: Taker, file: FoundFile): Promise<boolean> {
  try {
    return await takeFile(bank, taker, file)
  } catch (error) {
    bank.log.warn({ err: error, rail: bank.name }, 'A file from the bank could not be taken; trying again.')
    return false
  }
}

/** Reads files again that wait for a person or for another statement, each until it is taken. Says whether one of them was. */
async function readAgain(bank: Bank, taker: Taker, taken: Set<bigint>): Promise<boolean> {
  const before = taken.size
  for (const row of await queries.filesToRead(bank.db, bank.name)) {
    if (taken.has(row.id)) continue
    const file = await findFile(bank, row)
    if (file) {
      const order = row.wanted === 'accept' ? 'accept' : 'read'
      if (await tryFile(bank, { ...taker, order }, file)) taken.add(row.id)
    } else if (row.wanted) {
      bank.log.error({ rail: bank.name, file: row.name }, 'A file that is to be read again is in none of the folders.')
      await queries.endOrder(bank.db, row.id)
    }
  }
  return taken.size > before
}

/** The file of a row, which another one of its name may have made move under a longer name. */
async function findFile({ inFolder }: Bank, { name, checksum }: queries.WaitingFile): Promise<FoundFile | undefined> {
  for (const folder of ['refused', 'done']) {
    for (const path of [longName(checksum, name), name].map((one) => join(inFolder, folder, one))) {
      const stats = await lstat(path).catch(() => undefined)
      if (stats?.isFile() && (await checksumOf(path)) === checksum)
        return { name, path, size: stats.size, modifiedAt: stats.mtimeMs }
    }
  }
  return undefined
}

async function filesIn(folder: string): Promise<FoundFile[]> {
  const names = (await readdir(folder)).filter((name) => !unfinished.test(name)).toSorted()
  const found: FoundFile[] = []
  for (const name of names) {
    const path = join(folder, name)
    const stats = await lstat(path).catch(() => undefined)
    if (stats?.isFile()) found.push({ name, path, size: stats.size, modifiedAt: stats.mtimeMs })
  }
  return found
}

/** `order`: the file came before, and is read again; a person may have accepted it as it is. */
type Taker = { holder: string; reports: BankReports; order?: 'read' | 'accept' }

/** Takes a file, or says why not. Gives whether all of it was taken. */
async function takeFile(bank: Bank, taker: Taker, file: FoundFile): Promise<boolean> {
  const checksum = await checksumOf(file.path)
  if (file.size > largest) return giveUpOrRefuse(bank, taker, file, { checksum, why: 'The file is too large.' })
  if (!taker.order && (await queries.isTaken(bank.db, bank.name, checksum))) {
    bank.log.info(
      { rail: bank.name, file: file.name },
      'A file from the bank was taken before; nothing of it is booked again.',
    )
    return finish(bank, file, checksum)
  }
  try {
    const { messages, foreign } = await messagesIn(file)
    if (!isSame(file, await stat(file.path)) || (await checksumOf(file.path)) !== checksum) return false
    const why = await storeFile(bank, taker, { name: file.name, checksum, messages, foreign })
    if (why !== undefined) return await refuse(bank, file, checksum, why)
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    const isPatient = bank.clock.realNow().getTime() - file.modifiedAt < bank.patienceMs
    if ((error.isIncomplete && isPatient) || !isSame(file, await stat(file.path))) return false
    return await giveUpOrRefuse(bank, taker, file, { checksum, why: error.message })
  }
  return finish(bank, file, checksum)
}

/** Nothing more is to be done about a file. */
async function finish(bank: Bank, file: FoundFile, checksum: string): Promise<true> {
  if (isIn(bank, file, 'refused')) await rm(`${file.path}.reason.txt`, { force: true })
  await moveTo(bank, file, 'done', checksum)
  return true
}

/** What becomes of a file that cannot be read. */
async function giveUpOrRefuse(
  bank: Bank,
  taker: Taker,
  file: FoundFile,
  { checksum, why }: { checksum: string; why: string },
): Promise<boolean> {
  if (await isGivenUp(bank, taker, { ...file, checksum, why })) return finish(bank, file, checksum)
  await keepRefusal(bank, file, checksum, { reason: `${why} ${unreadable}`, order: taker.order })
  return refuse(bank, file, checksum, why)
}

/** What is written to why a file cannot be read. */
const unreadable = 'None of it can be booked: ask the bank for another file. To accept it only ends its alarm.'

/** Whether operators have accepted a file that cannot be read: none of it is booked, and nobody is asked about it any more. */
const isGivenUp = (
  { db, name: rail, clock }: Bank,
  { order, reports }: Taker,
  { name, checksum, why }: { name: string; checksum: string; why: string },
): Promise<boolean> =>
  db.atomic(async (block) => {
    if (order === undefined) return false
    const row = { rail, name, checksum, message: null, at: clock.now() }
    const id = await queries.keepFile(block, row, { state: 'refused', reason: why, done: order })
    if (!(await reports.accepts(block, { id, rail, name, checksum, is_readable: false }))) return false
    await queries.keepFile(block, row, { state: 'accepted', reason: `${why} None of it is booked.` })
    return true
  })

/** The message of a file, or those of an archive, and the names of what else is in it. */
async function messagesIn({ path }: FoundFile): Promise<Pick<ReadFile, 'messages' | 'foreign'>> {
  const start = await readStart(path)
  if (!isZip(start)) return { messages: [await readMessage(() => createReadStream(path))], foreign: [] }
  const files = unzip(await readFile(path)).filter(({ name }) => !unfinished.test(basename(name)))
  const messages: BankMessage[] = []
  const foreign: string[] = []
  for (const { name, bytes } of files) {
    if (mayBeMessage(name, bytes)) messages.push(await readMessage(() => Readable.from([bytes])))
    else foreign.push(name)
  }
  if (messages.length === 0) throw new FileFault('The ZIP archive has no message in it.')
  return { messages, foreign }
}

/** Whether a file of an archive may say something of money: XML, by its name or its first character, or one more archive. */
function mayBeMessage(name: string, bytes: Buffer): boolean {
  const start = bytes.subarray(0, 1_000).toString('latin1')
  return /\.xml$/i.test(name) || /^(?:\u00ef\u00bb\u00bf|[\s\0\u00fe\u00ff])*</.test(start) || isZip(bytes)
}

async function readStart(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { end: 3 })) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const isSame = ({ size, modifiedAt }: FoundFile, now: Stats): boolean => now.size === size && now.mtimeMs === modifiedAt

async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

const keepRefusal = (
  bank: Bank,
  { name }: FoundFile,
  checksum: string,
  { reason, order }: { reason: string; order?: 'read' | 'accept' | undefined },
): Promise<bigint> =>
  queries.keepFile(
    bank.db,
    { rail: bank.name, name, checksum, message: null, at: bank.clock.now() },
    { state: 'refused', reason, done: order ?? null },
  )

/** Moves a file to the refused ones with its reason. One that waits there already stays as it is. */
async function refuse(bank: Bank, file: FoundFile, checksum: string, reason: string): Promise<false> {
  if (isIn(bank, file, 'refused')) return false
  const target = await placeFor(bank, file, 'refused', checksum)
  await writeFile(`${target}.reason.txt`, `${reason}\n`, { mode: 0o600 })
  bank.log.error({ rail: bank.name, file: file.name }, `A file from the bank was refused. ${reason}`)
  await rename(file.path, target)
  return false
}

const isIn = ({ inFolder }: Bank, { path }: FoundFile, folder: 'done' | 'refused'): boolean =>
  dirname(path) === join(inFolder, folder)

async function moveTo(bank: Bank, file: FoundFile, folder: 'done' | 'refused', checksum: string): Promise<void> {
  if (!isIn(bank, file, folder)) await rename(file.path, await placeFor(bank, file, folder, checksum))
}

/** Where a file goes. One of the same name that came earlier stays: the later one gets a part of its checksum. */
async function placeFor(
  { inFolder }: Bank,
  { name }: FoundFile,
  folder: 'done' | 'refused',
  checksum: string,
): Promise<string> {
  const target = join(inFolder, folder, name)
  const isFree = (await lstat(target).catch(() => undefined)) === undefined
  return isFree || (await checksumOf(target)) === checksum ? target : join(inFolder, folder, longName(checksum, name))
}

const longName = (checksum: string, name: string): string => `${checksum.slice(0, 12)}-${name}`

/** A refused file counts until the operator has removed it from its folder. */
async function clearRefused(bank: Bank): Promise<void> {
  const open = await queries.openRefused(bank.db, bank.name)
  if (open.length === 0) return
  const left = new Set(await readdir(join(bank.inFolder, 'refused')))
  const waiting = new Set((await readdir(bank.inFolder)).filter((name) => !unfinished.test(name)))
  const gone: bigint[] = []
  for (const row of open) {
    const isAlone = open.filter(({ name }) => name === row.name).length === 1
    const isLeft = left.has(longName(row.checksum, row.name)) || (left.has(row.name) && isAlone)
    if (!isLeft && !waiting.has(row.name) && !(await findFile(bank, row))) gone.push(row.id)
  }
  if (gone.length > 0) await queries.clearRefused(bank.db, gone, bank.clock.now())
}
