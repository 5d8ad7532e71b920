import { createHash } from 'node:crypto'
import { createReadStream, type Stats } from 'node:fs'
import { lstat, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Bank, BankReports } from '../bank.ts'
import { bookReport } from '../booking/book-report.ts'
import { bookStatement } from '../booking/book-statement.ts'
import { FileFault } from '../file-fault.ts'
import { keepLease } from '../lease.ts'
import { type BankMessage, readMessage } from '../reading/bank-message.ts'
import { interpret } from '../reading/interpret.ts'
import * as queries from './queries.ts'

/** A file in the folder, as it was found. */
type FoundFile = { name: string; path: string; size: number; modifiedAt: number }

/** Larger than any statement of an account like ours: 10,000 bookings are some 20 MB. */
const largest = 512 * 1024 * 1024

/** Hidden files, and names under which programs write what is not complete yet. */
const unfinished = /^\.|\.(tmp|part|partial|filepart|crdownload|swp|lock)$|~$/i

/**
 * Takes every complete file in the folder, each once, in the order of their names: what it reports is booked in one block, then
 * the file moves to `done/`. One that cannot be taken moves to `refused/` with its reason.
 */
export async function takeFiles(bank: Bank, holder: string, reports: BankReports): Promise<void> {
  await clearRefused(bank)
  for (const file of await filesIn(bank.inFolder)) {
    try {
      await takeFile(bank, { holder, reports }, file)
    } catch (error) {
      bank.log.warn({ err: error, rail: bank.name }, 'A file from the bank could not be taken; trying again.')
    }
  }
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

type Taker = { holder: string; reports: BankReports }

async function takeFile(bank: Bank, taker: Taker, file: FoundFile): Promise<void> {
  if (file.size > largest) return refuse(bank, file, '', 'The file is too large.')
  const checksum = await checksumOf(file.path)
  if (await queries.isTaken(bank.db, bank.name, checksum)) {
    bank.log.info(
      { rail: bank.name, file: file.name },
      'A file from the bank was taken before; nothing of it is booked again.',
    )
    return moveTo(bank, file, 'done', checksum)
  }
  try {
    const message = await readMessage(createReadStream(file.path))
    if (!isSame(file, await stat(file.path)) || (await checksumOf(file.path)) !== checksum) return
    await store(bank, taker, { file, checksum, message })
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    const isPatient = bank.clock.realNow().getTime() - file.modifiedAt < bank.patienceMs
    if ((error.isIncomplete && isPatient) || !isSame(file, await stat(file.path))) return
    return refuse(bank, file, checksum, error.message)
  }
  await moveTo(bank, file, 'done', checksum)
}

const isSame = ({ size, modifiedAt }: FoundFile, now: Stats): boolean => now.size === size && now.mtimeMs === modifiedAt

async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Books everything that a message says, or nothing. */
async function store(
  bank: Bank,
  { holder, reports }: Taker,
  { file, checksum, message }: { file: FoundFile; checksum: string; message: BankMessage },
): Promise<void> {
  const statements = 'statements' in message ? message.statements.map((one) => interpret(bank, one)) : []
  const name = message.kind === 'notice' ? message.name : message.kind
  const at = bank.clock.now()
  await bank.db.atomic(async (db) => {
    if (!(await keepLease(db, bank.name, holder))) throw new Error('Another process has taken over the bank.')
    const [taken] = await queries.insertTaken(db, {
      rail: bank.name,
      name: file.name,
      checksum,
      message: `${name}.${message.version}`,
      at,
    })
    if (!taken) return
    for (const statement of statements) await bookStatement(bank, db, { statement, fileId: taken.id, at }, reports)
    if (message.kind === 'pain.002') await bookReport(bank, db, { report: message.report, at }, reports)
  })
  bank.log.info({ rail: bank.name, file: file.name, message: name }, 'A file from the bank was taken.')
}

async function refuse(bank: Bank, file: FoundFile, checksum: string, reason: string): Promise<void> {
  await queries.insertRefused(
    bank.db,
    { rail: bank.name, name: file.name, checksum, message: null, at: bank.clock.realNow() },
    reason,
  )
  await writeFile(join(bank.inFolder, 'refused', `${file.name}.reason.txt`), `${reason}\n`, { mode: 0o600 })
  bank.log.error({ rail: bank.name, file: file.name }, `A file from the bank was refused. ${reason}`)
  await moveTo(bank, file, 'refused', checksum)
}

/** A file of the same name that came earlier stays: the later one gets a part of its checksum. */
async function moveTo(
  { inFolder }: Bank,
  { name, path }: FoundFile,
  folder: 'done' | 'refused',
  checksum: string,
): Promise<void> {
  const target = join(inFolder, folder, name)
  const isFree = (await lstat(target).catch(() => undefined)) === undefined
  const other = join(inFolder, folder, `${checksum.slice(0, 12)}-${name}`)
  await rename(path, isFree || folder === 'refused' ? target : other)
}

/** A refused file counts until the operator has removed it from its folder. */
async function clearRefused(bank: Bank): Promise<void> {
  const open = await queries.openRefused(bank.db, bank.name)
  if (open.length === 0) return
  const left = new Set(await readdir(join(bank.inFolder, 'refused')))
  const waiting = new Set((await readdir(bank.inFolder)).filter((name) => !unfinished.test(name)))
  const gone = open.filter(({ name }) => !left.has(name) && !waiting.has(name)).map(({ id }) => id)
  if (gone.length > 0) await queries.clearRefused(bank.db, gone, bank.clock.realNow())
}
