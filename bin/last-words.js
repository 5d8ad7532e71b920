/**
 * What a failed run says last, after the runner's own summary: each test that failed once more, and of each file whose
 * process failed how it ended and what it said. Whoever reads only the end of a log then still knows the cause.
 */
import { relative } from 'node:path'

import { root } from './build.js'

/** How many lines of what a process said on its error output are repeated. */
const lastLines = 40

/**
 * Listens to a run. Gives a function that tells what is to be said at its end; an empty text if nothing failed.
 *
 * @param {import('node:test').TestsStream} results
 * @param {string[]} files
 * @returns {() => string}
 */
export function gatherLastWords(results, files) {
  const isFile = new Set(files)
  /** @type {Map<string, string>} */
  const said = new Map()
  /** @type {string[]} */
  const tests = []
  /** @type {string[]} */
  const ends = []
  /** What the runner remarked since the last test began: remarks on a whole file name no file.
   * @type {string[]} */
  let remarks = []

  results.on('test:stderr', ({ file, message }) => said.set(file, (said.get(file) ?? '') + message))
  results.on('test:start', ({ name, nesting }) => {
    if (nesting === 0 && !isFile.has(name)) remarks = []
  })
  results.on('test:diagnostic', ({ message, nesting }) => {
    if (nesting === 0) remarks.push(message)
  })
  results.on('test:fail', ({ name, file, nesting, details }) => {
    const path = file && !isFile.has(name) ? relative(root, file) : 'bin'
    // What stands at the top of a file that shares its process was declared by our own program: its suite has the name.
    const where = path.startsWith('bin') ? '' : `  (${path})`
    if (!isFile.has(name)) tests.push(`${'  '.repeat(nesting)}${name}${where}`)
    else ends.push(endOf(name, details.error, remarks, said.get(name) ?? ''))
  })
  return () =>
    [
      tests.length > 0 ? `\n── failed tests\n${tests.join('\n')}\n` : '',
      ends.length > 0 ? `\n── files whose process failed\n${ends.join('\n')}` : '',
    ].join('')
}

/**
 * @param {string} file
 * @param {Error & { exitCode?: number | null, signal?: string | null }} error
 * @param {string[]} remarks
 * @param {string} said
 */
function endOf(file, error, remarks, said) {
  const lines = said.trimEnd().split('\n').slice(-lastLines)
  return [
    `${relative(root, file)}: ${error.message}; exit code ${error.exitCode ?? 'none'}, signal ${error.signal ?? 'none'}`,
    ...remarks.map((remark) => `  the runner: ${remark}`),
    ...(said === '' ? ['  it said nothing on stderr'] : lines.map((line) => `  | ${line}`)),
    '',
  ].join('\n')
}
