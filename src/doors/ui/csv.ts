import { unsafeCharacters } from '../../platform/lib/unsafe-characters.ts'

/**
 * One line of a CSV file (RFC 4180). A cell that a spreadsheet would run as a formula, in full width too, gets an apostrophe in front; control characters
 * and marks that change the direction of text are removed.
 */
export const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => quoted(plain(cell ?? ''))).join(',')}\r\n`

/** The last line of a file that is not whole, as wide as the others: why, in the second cell. Empty without a reason. */
export const csvIncomplete = (reasons: readonly string[], columns: number): string =>
  reasons.length === 0
    ? ''
    : csvLine(['INCOMPLETE', reasons.join(' '), ...Array.from({ length: columns - 2 }, () => '')])

const plain = (text: string): string => {
  const clean = text.replaceAll(unsafeCharacters, ' ')
  return /^\s*[=+@＝＋－＠]|^\s*-(?!\d+(\.\d+)?$)/.test(clean) ? `'${clean}` : clean
}

const quoted = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
