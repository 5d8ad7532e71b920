import { copyFile, readFile, writeFile } from 'node:fs/promises'

import { beginning, check, type JournalLine } from './journal.ts'

/** What a repair dropped of a journal: the number of the line that it was in, and its text. `payouts`: what was signed there. */
export type Dropped = { line: number; text: string; payouts: string[] }

/** What is left of a journal that was repaired, and the copy of it as it was. */
export type Repaired = { lines: number; hash: string; dropped: Dropped[]; copy: string | undefined }

/**
 * Brings the journal in a file back to lines that follow each other: what a write left half done is dropped, and all that follows a line
 * that is missing. Keeps a copy of the file as it was, and changes nothing where nothing is dropped.
 */
export async function repairJournal(file: string, at: Date): Promise<Repaired> {
  const kept: JournalLine[] = []
  const dropped: Dropped[] = []
  const texts = (await readFile(file, 'utf8')).split('\n')
  for (const [index, text] of texts.entries()) {
    if (text === '') continue
    const found = lineIn(text, kept)
    if (found) kept.push(found.line)
    if (found?.before !== '') drop(dropped, index + 1, found?.before ?? text)
  }
  const hash = kept.at(-1)?.hash ?? beginning
  if (dropped.length === 0) return { lines: kept.length, hash, dropped, copy: undefined }
  const copy = `${file}.${at.toISOString().replaceAll(':', '-')}`
  await copyFile(file, copy)
  await writeFile(file, kept.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
  await writeFile(`${file}.head`, `${hash}\n`, { mode: 0o600 })
  return { lines: kept.length, hash, dropped, copy }
}

/** A line that follows those before it, and what is written before it: the beginning of one that was never finished. */
function lineIn(text: string, kept: readonly JournalLine[]): { line: JournalLine; before: string } | undefined {
  for (let at = text.indexOf('{"number":'); at >= 0; at = text.indexOf('{"number":', at + 1)) {
    try {
      const line = JSON.parse(text.slice(at)) as JournalLine
      check(line, kept.length, kept.at(-1)?.hash ?? beginning)
      return { line, before: text.slice(0, at) }
    } catch {
      // Not a whole line from here on, or not the next one.
    }
  }
  return undefined
}

function drop(dropped: Dropped[], line: number, text: string): void {
  const payouts = [...text.matchAll(/"payout":"([^"]{1,100})"/g)].flatMap(([, payout]) => payout ?? [])
  dropped.push({ line, text, payouts })
}
