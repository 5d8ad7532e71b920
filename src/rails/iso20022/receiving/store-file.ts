import type { Atomic } from '../../../platform/db/sql.ts'
import { accountIdOf, type Bank, type BankReports, type OwnAccount } from '../bank.ts'
import { bookReport } from '../booking/book-report.ts'
import type { StatementFile } from '../booking/book-news.ts'
import { bookStatement } from '../booking/book-statement.ts'
import { FileFault } from '../file-fault.ts'
import { keepLease } from '../lease.ts'
import type { BankMessage } from '../reading/bank-message.ts'
import { accountIn, type CheckedStatement, interpret, type Interpreting } from '../reading/interpret.ts'
import type { Statement } from '../reading/statement.ts'
import * as queries from './queries.ts'
import type { PartRow } from './queries.ts'

/** A file that was read, with the messages in it. `foreign`: names of what else is in its archive. */
export type ReadFile = {
  name: string
  checksum: string
  messages: readonly BankMessage[]
  foreign: readonly string[]
}

type Storer = { holder: string; reports: BankReports; order?: 'read' | 'accept' }

/**
 * Books what a file says, statement by statement, in one block. What cannot be booked of it waits for a person: gives why. An account
 * that is not in the configuration keeps nothing of the others back.
 */
export async function storeFile(bank: Bank, storer: Storer, file: ReadFile): Promise<string | undefined> {
  const statements = file.messages.flatMap((message) => ('statements' in message ? message.statements : []))
  const message = file.messages.map((one) => `${nameOf(one)}.${one.version}`)[0] ?? ''
  const at = bank.clock.now()
  const note = noteOf(file.foreign)
  const why = await bank.db.atomic(async (db) => {
    if (!(await keepLease(db, bank.name, storer.holder))) throw new Error('Another process has taken over the bank.')
    const row = { rail: bank.name, name: file.name, checksum: file.checksum, message, at }
    const fileId = await queries.keepFile(db, row, { state: 'taken', reason: note, done: storer.order ?? null })
    const { name, checksum } = file
    const isAccepted =
      storer.order !== undefined &&
      (await storer.reports.accepts(db, { id: fileId, rail: bank.name, name, checksum, is_readable: true }))
    if (isAccepted) await queries.keepFile(db, row, { state: 'accepted', reason: note })
    const accepted = isAccepted ? await queries.partsBefore(db, fileId) : []
    const parts: PartRow[] = []
    for (const [position, statement] of statements.entries())
      parts.push(
        await storePart(
          bank,
          db,
          { statement, position, file: { id: fileId, name: file.name }, at },
          { ...storer, isAccepted, before: accepted.find((one) => one.position === position) },
        ),
      )
    queries.keepParts(db, fileId, parts)
    storer.reports.taken(db, { id: fileId })
    for (const one of file.messages) {
      if (one.kind === 'pain.002') await bookReport(bank, db, { report: one.report, at }, storer.reports)
    }
    const refused = parts.find(({ state, cause }) => state === 'refused' && cause !== 'not_ours')
    if (!refused) return undefined
    const reason = [refused.why, ...(note === null ? [] : [note])].join(' ')
    await queries.keepFile(db, row, { state: 'refused', reason })
    return reason
  })
  for (const one of file.messages)
    bank.log.info({ rail: bank.name, file: file.name, message: nameOf(one) }, 'A file from the bank was read.')
  return why
}

/** How many files of an archive are named. */
const mostNamed = 10

/** What an archive has in it that is no message: nothing of it is booked. */
function noteOf(foreign: readonly string[]): string | null {
  if (foreign.length === 0) return null
  const names = foreign.slice(0, mostNamed).map((name) => name.replaceAll(/[^\w .()/-]/g, '?').slice(0, 100))
  const more = foreign.length > mostNamed ? `, and ${foreign.length - mostNamed} more` : ''
  return `Not a message, and not read: ${names.join(', ')}${more}.`
}

const nameOf = (message: BankMessage): string => (message.kind === 'notice' ? message.name : message.kind)

/** `before`: what operators have accepted of it. */
type Storing = Pick<Storer, 'reports' | 'order'> & { isAccepted: boolean; before: Accepted | undefined }
type Accepted = { cause: string | null }

type ReceivedPart = { statement: Statement; position: number; file: StatementFile; at: Date }

async function storePart(
  bank: Bank,
  db: Atomic,
  { statement, position, file, at }: ReceivedPart,
  { reports, order, isAccepted, before }: Storing,
): Promise<PartRow> {
  const account = accountIn(bank, statement)
  const part: PartRow = {
    fileId: file.id,
    position,
    account: account ? accountIdOf(account) : statement.account.id.slice(0, 34),
    asset: account?.asset.id ?? null,
    number: statement.number ?? null,
    entries: statement.entries.length,
    state: isAccepted ? 'accepted' : 'taken',
    // What was accepted is asked again whenever the file is read again.
    cause: before?.cause ?? null,
    why: '',
    difference: null,
  }
  if (!account) {
    const isIgnored = bank.ignored.includes(part.account) || (await queries.isIgnored(db, bank.name, part.account))
    if (isAccepted || isIgnored) return { ...part, state: 'ignored' }
    const why = `The account ${part.account} is not in the configuration: add it to accounts, or have it ignored.`
    return { ...part, state: 'refused', cause: 'not_ours', why }
  }
  const checked = read(account, statement, { isLenient: isAccepted, file: file.name })
  if (typeof checked === 'string') return { ...part, state: 'refused', why: checked }
  const corrects = isAccepted && order === 'accept'
  const received = { statement: checked, file, at, isAccepted, corrects }
  const difference = await bookStatement(bank, db, received, reports)
  if (!difference) return part
  if (difference.cause === undefined) return { ...part, why: difference.why }
  return {
    ...part,
    state: 'refused',
    cause: difference.cause,
    why: difference.why,
    difference: difference.amount,
  }
}

/** A statement whose sums add up, or why they do not. */
function read(account: OwnAccount, statement: Statement, how: Interpreting): CheckedStatement | string {
  try {
    return interpret(account, statement, how)
  } catch (error) {
    if (error instanceof FileFault) return error.message
    throw error
  }
}
