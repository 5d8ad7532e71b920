import { once } from 'node:events'
import { createServer } from 'node:net'

import lighthouse, { type Config, type Result } from 'lighthouse'
import { pageFunctions } from 'lighthouse/core/lib/page-functions.js'
import type { Browser } from 'playwright-core'

import { launchBrowser } from '../support/browser.ts'
import type { CustomerPage } from './customer-pages.ts'

/**
 * A phone on slow 4G (150 ms, 1.6 Mbit/s) whose processor reaches this in Lighthouse's own benchmark, as phones of the middle do
 * (125 to 800, docs/throttling.md there). A quiet desk of 2,300 is four times as fast: how much slower the phone is than the machine
 * that looks is measured right before each look, so that the machine's speed is not in the result.
 */
const phoneIndex = 575
const budget = { performance: 98, accessibility: 100, practice: 100, largestPaintMs: 1_000, shift: 0 }

/** How often a page may be looked at for its speed: whatever else computes meanwhile makes it look slow, never quick. */
const mostLooks = 3

/** A page that stands still needs no longer to be believed to: Lighthouse waits for seconds. */
const stillMs = 500

const config: Config = {
  extends: 'lighthouse:default',
  settings: {
    onlyCategories: ['performance', 'accessibility', 'best-practices'],
    disableFullPageScreenshot: true,
    pauseAfterFcpMs: stillMs,
    pauseAfterLoadMs: stillMs,
    networkQuietThresholdMs: stillMs,
    cpuQuietThresholdMs: stillMs,
  },
}

/** A browser that Lighthouse can look through. */
export type Glass = { browser: Browser; port: number }

/** Starts one. Close its browser, or the process does not end. */
export async function openGlass(): Promise<Glass> {
  const port = await freePort()
  return { browser: await launchBrowser([`--remote-debugging-port=${port}`]), port }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}

/** What Lighthouse says of a page: points of a hundred, milliseconds until the largest paint, layout shift, what fell short. */
export type Seen = {
  performance: number
  accessibility: number
  practice: number
  largestPaintMs: number
  shift: number
  remarks: string[]
}

/**
 * Looks at a page with Lighthouse 12 as it simulates a slow phone. Speed is of chance: a page that seems too slow is looked at up
 * to three times, and the quickest counts. Whether it is accessible, keeps to good practice and stands still is not of chance:
 * there the first look counts. Nothing else should compute on the machine meanwhile: what it takes is in the milliseconds.
 */
export async function lookAt(glass: Glass, page: CustomerPage): Promise<Seen> {
  const first = seenIn(await look(glass, page))
  let quickest = first
  for (let looks = 1; looks < mostLooks && isSlow(quickest); looks++) {
    const next = seenIn(await look(glass, page))
    if (next.largestPaintMs < quickest.largestPaintMs) quickest = next
  }
  const { performance, largestPaintMs } = quickest
  return { ...first, performance, largestPaintMs }
}

const isSlow = ({ performance, largestPaintMs }: Seen): boolean =>
  performance < budget.performance || largestPaintMs >= budget.largestPaintMs

/** Where a page misses the budget, in a sentence each, and what Lighthouse found there; nothing if it keeps it. */
export function missesOf(seen: Seen): string[] {
  const { performance, accessibility, practice, largestPaintMs, shift, remarks } = seen
  const misses = [
    performance < budget.performance ? `performance ${performance}, not ${budget.performance}` : '',
    accessibility < budget.accessibility ? `accessibility ${accessibility}, not ${budget.accessibility}` : '',
    practice < budget.practice ? `best practices ${practice}, not ${budget.practice}` : '',
    largestPaintMs >= budget.largestPaintMs
      ? `largest paint after ${largestPaintMs} ms, not ${budget.largestPaintMs}`
      : '',
    shift > budget.shift ? `layout shift ${shift}` : '',
  ].filter((miss) => miss !== '')
  return misses.length === 0 ? [] : [...misses, ...remarks]
}

async function look(glass: Glass, { url, cookie }: CustomerPage): Promise<Result> {
  const { port } = glass
  const extraHeaders = cookie === '' ? {} : { Cookie: cookie }
  let problem = ''
  for (let looks = 0; looks < mostLooks; looks++) {
    const throttling = { cpuSlowdownMultiplier: await slowdown(glass) }
    const result = await lighthouse(url, { port, logLevel: 'error', extraHeaders, throttling }, config)
    if (result && !result.lhr.runtimeError) return result.lhr
    // Now and then the browser's recording begins too late; what was not seen says nothing of the page.
    problem = result?.lhr.runtimeError?.message ?? 'no result'
  }
  throw new Error(`Lighthouse could not look at ${url}: ${problem}`)
}

/** How many times slower the phone's processor is than this machine's is now. */
async function slowdown({ browser }: Glass): Promise<number> {
  const page = await browser.newPage()
  const index = await page.evaluate(pageFunctions.computeBenchmarkIndex)
  await page.close()
  return index / phoneIndex
}

function seenIn({ audits, categories }: Result): Seen {
  const pointsOf = (category: string): number => Math.round((categories[category]?.score ?? 0) * 100)
  const numberOf = (audit: string): number => audits[audit]?.numericValue ?? Number.POSITIVE_INFINITY
  const weighed = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0))
  const remarks = weighed
    .map(({ id }) => audits[id])
    .filter((audit) => audit !== undefined && audit.score !== null && audit.score < 1)
    .map((audit) => `${audit?.id}: ${JSON.stringify(audit?.details ?? audit?.displayValue).slice(0, 600)}`)
  return {
    performance: pointsOf('performance'),
    accessibility: pointsOf('accessibility'),
    practice: pointsOf('best-practices'),
    largestPaintMs: Math.round(numberOf('largest-contentful-paint')),
    shift: numberOf('cumulative-layout-shift'),
    remarks,
  }
}
