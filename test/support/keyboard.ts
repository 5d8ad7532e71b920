import assert from 'node:assert/strict'

import type { ElementHandle, Locator, Page } from 'playwright-core'

/** The most stops that one page has. A walk that takes longer goes in circles. */
const mostStops = 60

/**
 * A customer who has a keyboard and nothing else: nothing is clicked, nothing is given the focus from outside. Wherever the focus
 * comes to, it must be seen, and it may not fall off the page.
 */
export type Keyboard = {
  /** Goes on, stop by stop, until a control has the focus. */
  reach(control: Locator): Promise<void>
  /** The same against the order of the page. */
  reachBack(control: Locator): Promise<void>
  /** Goes to a control and presses it. */
  press(control: Locator, key?: string): Promise<void>
  /** Goes to a field and replaces what stands in it. */
  type(field: Locator, text: string): Promise<void>
  /** Goes to a list and types the beginning of an option, as a list is chosen from by its letters. */
  choose(list: Locator, option: string): Promise<void>
}

export function keyboardOn(page: Page): Keyboard {
  const walk = async (control: Locator, key: 'Tab' | 'Shift+Tab'): Promise<void> => {
    const wanted = await control.elementHandle()
    let { isWanted } = await seeFocus(page, wanted)
    for (let stop = 0; stop < mostStops && !isWanted; stop += 1) {
      await page.keyboard.press(key)
      const seen = await seeFocus(page, wanted)
      assert.equal(seen.fault, '')
      isWanted = seen.isWanted
    }
    assert(isWanted, `${key} does not come to ${control.toString()}`)
  }
  const keyboard: Keyboard = {
    reach: (control) => walk(control, 'Tab'),
    reachBack: (control) => walk(control, 'Shift+Tab'),
    press: async (control, key = 'Enter') => {
      await keyboard.reach(control)
      await page.keyboard.press(key)
    },
    type: async (field, text) => {
      await keyboard.reach(field)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    choose: async (list, option) => {
      await keyboard.reach(list)
      let chosen = ''
      // A browser takes letters for one word that come within a second, which they do not on every try of a busy machine.
      for (let tries = 0; tries < 20 && !chosen.startsWith(option); tries += 1) {
        if (tries > 0) await page.waitForTimeout(1_100)
        await page.keyboard.type(option)
        chosen = await list.evaluate((element) => (element as HTMLSelectElement).selectedOptions[0]?.text ?? '')
      }
      assert(chosen.startsWith(option), `${chosen} was chosen, not ${option}`)
    },
  }
  return keyboard
}

/**
 * Whether the focus is where it is wanted, and what is wrong with where it is; empty where nothing is. It must be on something, that
 * must be in the window and on top (WCAG 2.4.11), and it, or what is drawn in its place, must have a ring of at least two pixels (2.4.7).
 */
const seeFocus = (page: Page, wanted: ElementHandle | null): Promise<{ isWanted: boolean; fault: string }> =>
  page.evaluate((control) => {
    const at = document.activeElement
    const tell = (fault: string) => ({
      isWanted: at === control,
      fault: fault && `${fault}: ${at?.outerHTML.slice(0, 160)}`,
    })
    if (!at || at === document.body) return tell('The focus is nowhere')
    // A field that is not seen itself is drawn by what follows it, one of the calculator's by the box around it.
    const around = at instanceof HTMLInputElement ? at.closest('.box') : null
    const drawn = getComputedStyle(at).opacity === '0' ? (at.nextElementSibling ?? at) : (around ?? at)
    const { outlineStyle, outlineWidth } = getComputedStyle(drawn)
    if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2) return tell('The focus is not seen')
    const box = at.getBoundingClientRect()
    const isInside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
    if (!isInside || box.width === 0) return tell('The focus is out of sight')
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    return tell(top && !at.contains(top) && !top.contains(at) ? 'The focus is covered' : '')
  }, wanted)

/** What is wrong with where the focus is; empty where nothing is. */
export const faultOfFocus = async (page: Page): Promise<string> => (await seeFocus(page, null)).fault

/** What has the focus, by its tag; `BODY` where nothing has. */
export const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.tagName ?? '')
