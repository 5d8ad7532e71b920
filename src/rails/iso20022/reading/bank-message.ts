import { FileFault } from '../file-fault.ts'
import { addPart, newStatement, type Statement, type StatementKind } from './statement.ts'
import { addStatus, newStatusReport, type StatusReport } from './status-report.ts'
import { type DocumentReader, readXml } from './xml.ts'

/** A file from the bank, read whole. `notice`: a message that moves nothing by itself, such as a request to recall. */
export type BankMessage =
  | { kind: StatementKind; version: string; statements: Statement[] }
  | { kind: 'pain.002'; version: string; report: StatusReport }
  | { kind: 'notice'; version: string; name: string }

/** Messages that banks send along: their effect on money, if any, is an entry of a statement. */
const notices: ReadonlySet<string> = new Set(['camt.029', 'camt.056', 'camt.055', 'pacs.004', 'camt.057', 'camt.087'])

/** The end of the namespace names the message and its version: `camt.053.001.08`. Every version is read alike. */
const form = /(?:^|[:$])((camt|pain|pacs)\.(\d{3}))\.\d{3}\.(\d{2})$/

/**
 * Reads a message of the bank from the bytes of its file. Throws a `FileFault` for what is not one, or not one that banks send
 * to their customers.
 */
export async function readMessage(bytes: () => AsyncIterable<Buffer>): Promise<BankMessage> {
  try {
    return await readAs(bytes())
  } catch (error) {
    // Banks write Latin-1 and say that it is UTF-8. Every byte is a character there, so names may be wrong and amounts not.
    if (error instanceof FileFault && error.isEncoding) return readAs(bytes(), 'windows-1252')
    throw error
  }
}

async function readAs(bytes: AsyncIterable<Buffer>, encoding?: string): Promise<BankMessage> {
  let name = ''
  let version = ''
  const statements: Statement[] = []
  const report = newStatusReport()
  const reader: DocumentReader = {
    message: (namespace) => {
      const [, found = '', , , its = ''] = form.exec(namespace) ?? []
      if (!isKnown(found)) throw new FileFault('The file is not a statement, a status report or a notice of the bank.')
      name = found
      version = its
    },
    begin: () => {
      if (isStatement(name)) statements.push(newStatement(name))
    },
    end: () => undefined,
    part: (parent, node) => {
      const statement = statements.at(-1)
      if (parent !== '' && statement) addPart(statement, node)
      if (parent === '' && name === 'pain.002') addStatus(report, node)
    },
  }
  await readXml(bytes, reader, encoding)
  if (isStatement(name)) {
    if (statements.length === 0) throw new FileFault('The file has no statement in it.')
    return { kind: name, version, statements }
  }
  if (name === 'pain.002') return { kind: name, version, report }
  return { kind: 'notice', version, name }
}

const isStatement = (name: string): name is StatementKind => ['camt.052', 'camt.053', 'camt.054'].includes(name)
const isKnown = (name: string): boolean => isStatement(name) || name === 'pain.002' || notices.has(name)
