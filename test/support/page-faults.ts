import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Page } from 'playwright-core'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * Shows a page, with everything on it unfolded. One with the same style sheets as the page before takes its place without being
 * loaded: that is drawn alike, and three times as quick. The calculator is loaded, because its script changes what it shows, unless
 * it must be shown as it is without (`isScripted`).
 */
export async function show(page: Page, url: string, isScripted = true): Promise<void> {
  const isSwapped = await page.evaluate(swapBody, { url, isScripted })
  if (isSwapped) return
  await page.goto(url)
  await page.evaluate(axe)
  await page.evaluate(swapBody, { url: '', isScripted })
}

/** Runs in the browser: whether the page could be put in the place of the one that is shown. An empty address only unfolds. */
async function swapBody({ url, isScripted }: { url: string; isScripted: boolean }): Promise<boolean> {
  const sheetsOf = (page: Document) =>
    [...page.querySelectorAll('link[rel="stylesheet"], head style:not([id])')].map((one) => one.outerHTML)
  if (url !== '') {
    if (!url.startsWith(location.origin)) return false
    const fresh = new DOMParser().parseFromString(await (await fetch(url)).text(), 'text/html')
    if (sheetsOf(fresh).join('') !== sheetsOf(document).join('')) return false
    if (isScripted && (fresh.querySelector('[data-calculator]') ?? document.querySelector('[data-calculator]')))
      return false
    document.documentElement.classList.remove('scripted')
    for (const name of ['lang', 'dir'])
      document.documentElement.setAttribute(name, fresh.documentElement.getAttribute(name) ?? '')
    document.title = fresh.title
    document.body.replaceWith(fresh.body)
  }
  for (const folded of document.querySelectorAll('details')) folded.open = true
  return true
}

/** What WCAG 2.2 AA asks and a program can see, and what axe itself recommends. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const colors = ['color-contrast', 'link-in-text-block']
const sizes = ['target-size', 'scrollable-region-focusable']

/**
 * By which of axe's rules a page is looked at. `looks`: those that may find more in the same page in a window of another size.
 * `colors`: those that may find more in other colors. `words`: those that may find more in other words, which are all but the slow
 * ones about colors and sizes.
 */
export type Rules = 'all' | 'looks' | 'colors' | 'words'

/** What axe finds on the page that is shown, as `rule: element`. */
export const axeFindings = (page: Page, rules: Rules = 'all'): Promise<string[]> =>
  page.evaluate(async (options) => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }
    const { axe: runner } = globalThis as unknown as { axe: { run(at: Document, options: object): Promise<Found> } }
    const { violations } = await runner.run(document, { ...options, resultTypes: ['violations'], preload: false })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    )
  }, optionsFor(rules))

/** The rule about sizes is one that axe leaves out unless it is asked for. */
function optionsFor(rules: Rules): object {
  if (rules === 'colors') return { runOnly: { type: 'rule', values: colors } }
  if (rules === 'looks') return { runOnly: { type: 'rule', values: [...colors, ...sizes] } }
  const isAll = rules === 'all'
  const slow = Object.fromEntries([...colors, ...sizes].map((rule) => [rule, { enabled: isAll }]))
  return { runOnly: { type: 'tag', values: tags }, rules: slow }
}

/** What is wrong with the page for somebody who hears it: it has one main part, one heading of the first level, and a title that names it. */
export const structureFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const headings = [...document.querySelectorAll('h1')].map(({ textContent }) => textContent.trim())
    const [said, heading = ''] = [document.title, headings[0]]
    const names = said.includes(heading) && heading !== ''
    const shown = [...document.querySelectorAll('[hidden]')].filter((element) =>
      element.checkVisibility({ visibilityProperty: true }),
    )
    return [
      ...shown.map((element) => `hidden, but it shows: ${element.outerHTML.slice(0, 120)}`),
      ...(document.querySelectorAll('main').length === 1 ? [] : ['not one main part']),
      ...(headings.length === 1 ? [] : [`headings: ${headings.join(', ')}`]),
      ...(names ? [] : [`the title does not name the step: ${said}, ${heading}`]),
    ]
  })

/**
 * What does not fit: the window scrolls sideways, something stands out of it, a text is cut off by the edge of what it stands in,
 * or a control is lower than 44 pixels.
 */
export const layoutFaults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const name = (element: Element): string => element.outerHTML.slice(0, 120)
    const faults: string[] = []
    const { scrollWidth } = document.documentElement
    if (scrollWidth > innerWidth) faults.push(`the window scrolls sideways: ${scrollWidth}`)
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const box = element.getBoundingClientRect()
      if (box.width === 0 || element.closest('.visually-hidden, svg, option')) continue
      if (box.right > innerWidth + 1 || box.left < -1) faults.push(`out of the window: ${name(element)}`)
      const { overflowX, overflowY } = getComputedStyle(element)
      const isTyped = element.matches('input, textarea, select')
      const hides = (overflow: string): boolean => overflow === 'hidden' || overflow === 'clip'
      const isCut =
        (hides(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
        (hides(overflowY) && element.scrollHeight > element.clientHeight + 1)
      if (isCut && !isTyped) faults.push(`cut: ${name(element)}`)
      const isControl = element.matches('button, input:not([type=hidden]), select, summary')
      const target = (element.closest('label') ?? element).getBoundingClientRect()
      if (isControl && target.height < 44) faults.push(`lower than 44 pixels: ${name(element)}`)
    }
    return faults
  })

/** What moves for longer than a hundredth of a millisecond. */
export const movements = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const longest = (durations: string): number =>
      Math.max(...durations.split(',').map((one) => Number.parseFloat(one) * (one.trim().endsWith('ms') ? 1 : 1_000)))
    return [...document.querySelectorAll('body, body *')].flatMap((element) =>
      ['', '::before', '::after'].flatMap((part) => {
        const { animationName, animationDuration, transitionDuration } = getComputedStyle(element, part)
        const moves = animationName !== 'none' && longest(animationDuration) > 0.01
        return moves || longest(transitionDuration) > 0.01 ? [element.outerHTML.slice(0, 120) + part] : []
      }),
    )
  })

/** Faults by page as a text to be read, each with the pages that have it; empty where there is none. */
export function told(found: ReadonlyMap<string, readonly string[]>): string {
  const pagesOf = new Map<string, string[]>()
  for (const [path, faults] of found)
    for (const fault of faults) pagesOf.set(fault, [...(pagesOf.get(fault) ?? []), path])
  return [...pagesOf].map(([fault, paths]) => `${fault}\n    on ${paths.join(' ')}`).join('\n')
}
