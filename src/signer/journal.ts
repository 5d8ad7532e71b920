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
      /** The bytes, as they are given again for the same request. Absent in lines of earlier versions, which sign again. */
      signed?: unknown
    }
  | { kind: 'approval'; content: string; approver: string; signature: string }
  | { kind: 'halt'; reason: string }
  | { kind: 'resume'; halt: string; approver: string; signature: string }

/** What the signer remembers, on its own disk. */
export type Journal = {
  lines: readonly JournalLine[]
  /**
   * Returns when the line is on the disk. One that cannot be written whole is cut off again before anything else is written: until that
   * works, every call fails.
   */
  append(entry: JournalEntry, at: Date): Promise<JournalLine>
  close(): Promise<void>
}

/** What the first line follows. */
export const beginning = '0'.repeat(64)

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
  // Where a crash came between a line and its hash, the hash is of the line before.
  const written = { bytes: Buffer.byteLength(whole), hash: lines.at(-1)?.hash ?? beginning, head, isWhole: false }
  /** Brings the file back to its last whole line. */
  async function cutOff(): Promise<void> {
    if (written.head !== written.hash) await keepHead(written.hash)
    await handle.truncate(written.bytes)
    await handle.sync()
    written.isWhole = true
  }
  async function keepHead(hash: string): Promise<void> {
    await writeHead(headFile, hash, () => (written.head = hash))
  }
  await cutOff()
  return {
    lines,
    append: async (entry, at) => {
      if (!written.isWhole) await cutOff()
      const body = { number: lines.length + 1, at: at.toISOString(), previous: written.hash, entry }
      const line = { ...body, hash: hashOf(body) }
      const text = `${JSON.stringify(line)}\n`
      written.isWhole = false
      try {
        await handle.appendFile(text)
        await handle.sync()
        await keepHead(line.hash)
      } catch (error) {
        await cutOff().catch(() => undefined)
        throw error
      }
      Object.assign(written, { bytes: written.bytes + Buffer.byteLength(text), hash: line.hash, isWhole: true })
      lines.push(line)
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

/** Refuses a line that does not follow the one before. */
export function check({ hash, ...body }: JournalLine, index: number, previous: string): void {
  const { number, at, entry } = body
  const isRight = number === index + 1 && body.previous === previous
  if (!isRight || hash !== hashOf({ number, at, previous, entry })) throw changed(index)
}

const changed = (index: number): Error => new Error(`The journal was changed at line ${index + 1}.`)
const hashOf = (body: Omit<JournalLine, 'hash'>): string =>
  createHash('sha256').update(JSON.stringify(body)).digest('hex')

/** Replaces the file of the last hash. `replaced` is called once it has another content, which may not be on the disk yet. */
async function writeHead(file: string, hash: string, replaced: () => void): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600)
  await writeWhole(handle, `${hash}\n`)
  await rename(`${file}.new`, file)
  replaced()
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function writeWhole(handle: FileHandle, text: string): Promise<void> {
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
