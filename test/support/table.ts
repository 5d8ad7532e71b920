import assert from 'node:assert/strict'

/**
 * Reads a text table into rows: the first line names the columns, each further line is one case. Columns are parted
 * by two or more spaces, so that a cell may hold single ones; `''` is an empty cell. A row that is short or long is a
 * fault of the test.
 */
export function table(text: string): Record<string, string>[] {
  const [head = [], ...rows] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/ {2,}/))

  return rows.map((cells) => {
    assert.equal(cells.length, head.length, `this row does not fit its table: ${cells.join(' | ')}`)
    return Object.fromEntries(head.map((name, at) => [name, cells[at] === "''" ? '' : (cells[at] ?? '')]))
  })
}
