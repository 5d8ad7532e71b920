import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A line of the journal: what happened, chained to the line before by its hash. */
export type JournalLine = { number: number; at: string; previous: string; entry: JournalEntry; hash: string }

/** Amounts are decimal texts in smallest units. */
export type JournalEntry =
  | {
      kind: 'signature'
      digest: string
      payments: readonly { payout: string; asset: string; amount: string; destination: string }[]
      fee: { asset: string; amount: string }
      exclusive: readonly string[]
      claims: Readonly<Record<string, string>>
    }
  | { kind: 'approval'; content: string; approver: string; signature: string }
  | { kind: 'halt'; reason: string }
  | { kind: 'resume'; halt: string; approver: string; signature: string }

/** What the signer remembers, on its own disk. */
export type Journal = {
  lines: readonly JournalLine[]
  /** Returns when the line is on the disk. */
  append(entry: JournalEntry, at: Date): Promise<JournalLine>
  close(): Promise<void>
}

const beginning = '0'.repeat(64)

/**
 * Opens the journal, and checks it. Refuses a line that was changed, removed, inserted or moved, also at the end: `FILE.head` holds
 * the last line's hash. A last line that a crash cut off was never acted on, and is removed.
 */
export async function openJournal(file: string): Promise<Journal> {
  const handle = await open(file, 'a+', 0o600)
  try {
    return await openChecked(file, handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function openChecked(file: string, handle: FileHandle): Promise<Journal> {
  const headFile = `${file}.head`
  const text = await readFile(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const lines = whole.split('\n').slice(0, -1).map(readLine)
  for (const [index, line] of lines.entries()) check(line, index, lines[index - 1]?.hash ?? beginning)
  const head = existsSync(headFile) ? (await readFile(headFile, 'utf8')).trim() : undefined
  if (head === undefined ? lines.length > 1 : head !== beginning && !lines.some(({ hash }) => hash === head)) {
    throw new Error('The journal was changed: its last lines are missing.')
  }
  if (whole.length < text.length) await handle.truncate(Buffer.byteLength(whole))
  await writeHead(headFile, lines.at(-1)?.hash ?? beginning)
  return {
    lines,
    append: async (entry, at) => {
      const last = lines.at(-1)
      const body = {
        number: lines.length + 1,
        at: at.toISOString(),
        previous: last?.hash ?? beginning,
        entry,
      }
      const line = { ...body, hash: hashOf(body) }
      await handle.appendFile(`${JSON.stringify(line)}\n`)
      await handle.sync()
      lines.push(line)
      await writeHead(headFile, line.hash)
      return line
    },
    close: () => handle.close(),
  }
}

function readLine(text: string, index: number): JournalLine {
  try {
    return JSON.parse(text) as JournalLine
  } catch {
    throw changed(index)
  }
}

function check({ hash, ...body }: JournalLine, index: number, previous: string): void {
  const { number, at, entry } = body
  const isRight = number === index + 1 && body.previous === previous
  if (!isRight || hash !== hashOf({ number, at, previous, entry })) throw changed(index)
}

const changed = (index: number): Error => new Error(`The journal was changed at line ${index + 1}.`)
const hashOf = (body: Omit<JournalLine, 'hash'>): string =>
  createHash('sha256').update(JSON.stringify(body)).digest('hex')

async function writeHead(file: string, hash: string): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600)
  await written(handle, `${hash}\n`)
  await rename(`${file}.new`, file)
  const folder = await open(dirname(file), 'r')
  await folder.sync()
  await folder.close()
}

async function written(handle: FileHandle, text: string): Promise<void> {
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
