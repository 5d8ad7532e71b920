import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { allActions } from '../../src/exchange/actions/all.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { openRows } from '../support/every-table.ts'
import { filledExchange, type Filled } from '../support/filled-exchange.ts'
import { browserWalker, repeatingWalker, type Walk, walkForms } from '../support/form-walk.ts'
import { staffForms } from '../support/staff-forms.ts'

/** What the walks found is what is typed into: a form that no walk sends is one that no test has seen in a browser. */
function assertWhole({ seen }: Walk): void {
  const known = staffForms.map(({ name }) => name)
  assert.deepEqual([...seen].toSorted(), known.toSorted())
  const actions = new Set(known.map((name) => name.split(' ')[1]))
  const missing = allActions.flatMap(([, all]) =>
    all.filter(({ name, noForm }) => noForm === undefined && !actions.has(name)),
  )
  assert.deepEqual(missing, [], 'actions whose form no walk sends')
}

describe('every form of the console and the portal', { skip: noBrowser() }, () => {
  let browser: Browser
  let pressed: Filled
  let repeated: Filled
  before(async () => {
    ;[browser, pressed, repeated] = await Promise.all([launchBrowser(), filledExchange(), filledExchange()])
  })
  after(() => Promise.all([browser.close(), pressed.exchange.stop(), repeated.exchange.stop()]))

  it('is sent in a browser, and has one effect, the same, where it is sent twice at once and once more later', async () => {
    const page = await browser.newPage()
    const [ofPressed, ofRepeated] = await Promise.all([openRows(pressed.exchange), openRows(repeated.exchange)])
    const [once, again] = await Promise.all([
      walkForms(pressed, await browserWalker(pressed, page), ofPressed),
      walkForms(repeated, await repeatingWalker(repeated, ofRepeated), ofRepeated),
    ])
    await Promise.all([ofPressed.close(), ofRepeated.close()])
    assert.deepEqual([...once.problems, ...again.problems], [])
    assertWhole(once)
    assertWhole(again)
    assert.deepEqual(Object.fromEntries(again.left), Object.fromEntries(once.left))
  })
})
