/**
 * What a person sees of a run of `npm test`: a line for each file as it ends, the slowest files, every failure with the command
 * that repeats it, and the totals as Node's test runner prints them.
 */
import { relative } from 'node:path'
import { inspect } from 'node:util'

import { root } from './build.js'

/** @import { EventData, TestsStream } from 'node:test' */
/** @import { TestEvent } from 'node:test/reporters' */
/** @typedef {{ name: string, seconds: number, tests: number, failed: number, without: number }} FileResult */
/** @typedef {{ names: string[], error: unknown }} Failure */
/** @typedef {{ passed: number, failed: number, suites: number, skipped: string[], without: number, cancelled: number }} Counts */

const slowestShown = 10

/**
 * @param {(line: string) => void} print
 * @param {(file: string) => number | undefined} processorSeconds
 * @param {string} noCounterpart the reason of a skipped test that asks what a rail does not have: it is shown, and no fault
 */
export function openReport(print, processorSeconds, noCounterpart) {
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, suites: 0, skipped: [], without: 0, cancelled: 0 }
  /** @type {FileResult[]} */
  const files = []
  /** @type {Failure[]} */
  const failures = []
  const start = performance.now()

  /**
   * Reads one process's events to their end. In a process that runs a queue of files, each file is a suite at the top.
   *
   * @param {TestsStream} events
   * @param {string} program the file that the process runs
   */
  async function follow(events, program) {
    /** @type {string[]} */
    let path = []
    let file = { tests: 0, failed: 0, without: 0 }
    let milliseconds = 0
    let printed = ''
    /** @param {string} name @param {number} duration */
    const ended = (name, duration) => {
      files.push({ name, seconds: duration / 1000, ...file })
      print(fileLine({ name, seconds: duration / 1000, ...file }))
      // What a file printed matters only where it failed.
      if (file.failed > 0 && printed !== '') print(printed.trimEnd())
      file = { tests: 0, failed: 0, without: 0 }
      printed = ''
    }
    for await (const { type, data } of /** @type {AsyncIterable<TestEvent>} */ (/** @type {unknown} */ (events))) {
      if (type === 'test:stderr' || type === 'test:stdout') printed += data.message
      if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') continue
      path = [...path.slice(0, data.nesting), data.name]
      if (type === 'test:start') continue
      const isGroup = data.details.type === 'suite'
      if (isGroup) counts.suites++
      else file.tests++
      if ('skip' in data && data.skip === noCounterpart) {
        file.without++
        counts.without++
      } else if (type === 'test:pass') pass(path, data, isGroup)
      else if (fail(path, data, isGroup)) file.failed++
      if (data.nesting > 0) continue
      if (isGroup) ended(data.name, data.details.duration_ms)
      else milliseconds += data.details.duration_ms
    }
    if (file.tests > 0) ended(relative(root, program), milliseconds)
    else if (printed !== '') print(printed.trimEnd())
  }

  /** @param {string[]} names @param {EventData.TestPass} data @param {boolean} isGroup */
  function pass(names, { skip, todo }, isGroup) {
    if (skip !== undefined || todo !== undefined) counts.skipped.push(names.join(' › '))
    else if (!isGroup) counts.passed++
  }

  /**
   * Notes a failure. A test or group that failed only because something in it did is counted, and says nothing.
   *
   * @param {string[]} names @param {EventData.TestFail} data @param {boolean} isGroup
   */
  function fail(names, { details: { error } }, isGroup) {
    const reason = 'failureType' in error ? error.failureType : undefined
    if (reason !== 'subtestsFailed' || !isGroup) counts.failed++
    if (reason === 'subtestsFailed') return false
    if (reason === 'cancelledByParent') counts.cancelled++
    failures.push({ names, error: error.cause ?? error })
    print(`  ✖ ${names.map(shortName).join(' › ')}`)
    return true
  }

  /** The slowest files, the failures, and the totals. */
  function finish() {
    const slowest = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, slowestShown)
    if (files.length > 1) print(`\nThe slowest files, and what each took of a processor:`)
    for (const file of slowest) print(`${fileLine(file)}  ${processorSeconds(file.name)?.toFixed(1) ?? '?'} s`)
    if (failures.length > 0) print(`\n${failures.map(failureText).join('\n\n')}`)
    if (counts.without > 0) print(`\nSkipped where a rail has no counterpart: ${counts.without}`)
    print(`
ℹ tests ${counts.passed + counts.failed + counts.skipped.length + counts.without}
ℹ suites ${counts.suites}
ℹ pass ${counts.passed}
ℹ fail ${counts.failed - counts.cancelled}
ℹ cancelled ${counts.cancelled}
ℹ skipped ${counts.skipped.length + counts.without}
ℹ todo 0
ℹ duration_ms ${Math.round(performance.now() - start)}`)
  }

  return { counts, files, follow, finish }
}

/** @param {FileResult} file */
function fileLine({ name, seconds, tests, failed, without }) {
  const outcome =
    failed > 0 ? `✖ ${failed} of ${tests} failed` : `✔ ${tests - without}${without > 0 ? `, ${without} skipped` : ''}`
  return `${seconds.toFixed(1).padStart(6)} s  ${shortName(name)}  ${outcome}`
}

/** @param {Failure} failure */
function failureText({ names, error }) {
  const [file = '', ...tests] = names
  const text = inspect(error, { colors: false, depth: 4 })
  const seed = /\bseed\b["']?[:= ]+["']?(-?\d+)/iu.exec(text)?.[1]
  return [
    `✖ ${shortName(file)} › ${tests.join(' › ')}`,
    ...text.split('\n').map((line) => `  ${line}`),
    `  Repeat: ${seed ? `SEED=${seed} ` : ''}npm test -- ${shortName(file)}`,
  ].join('\n')
}

/**
 * A test file as `npm test -- NAME` takes it.
 *
 * @param {string} file
 */
function shortName(file) {
  const path = file.startsWith('/') ? relative(root, file) : file
  return path.replace(/^dist\//u, '').replace(/\.test\.js$/u, '')
}
