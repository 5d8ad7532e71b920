import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { actionName } from '../../src/exchange/actions/action.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { byHand } from '../support/by-hand.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { openRows } from '../support/every-table.ts'
import { filledExchange, type Filled } from '../support/filled-exchange.ts'
import { browserWalker, type Walk, walkForms } from '../support/form-walk.ts'
import { repeatingWalker } from '../support/plain-walkers.ts'
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

/** Forms whose use the audit does not name, and why. */
const unaudited: Readonly<Record<string, string>> = {
  '/portal/scenarios play': 'it is a customer who acts in a scenario of the sandbox',
  '/console/prices/:kind try-propose': 'it only shows what would change',
  '/portal/theme try-theme': 'it only shows what would change',
  '/portal/events check': 'it only compares a signature with what was signed',
  '/portal/account end': 'it signs out, as the button at the top does',
  '/portal/account end-all': 'it signs out, as the button at the top does',
  '/console/account end': 'it signs out, as the button at the top does',
  '/console/account end-all': 'it signs out, as the button at the top does',
}

/** That the audit says of every form that somebody has used it, and by which action. */
function assertAudited({ left, actions }: Walk): void {
  const silent = [...left].filter(([, grown]) => (grown['public.audit'] ?? 0) === 0).map(([name]) => name)
  assert.deepEqual(silent.toSorted(), Object.keys(unaudited).toSorted())
  const all = allActions.flatMap(([, own]) => own.filter(({ noForm }) => noForm === undefined))
  for (const [form, names] of actions) {
    const sent = form.split(' ')[1]
    const possible: (string | null)[] = byHand[form] ? [null] : all.filter(({ name }) => name === sent).map(actionName)
    for (const name of names) assert.ok(possible.includes(name), `${form} is in the audit as ${name}`)
  }
  const named = new Set([...actions.values()].flat().filter((name) => name !== null))
  assert.deepEqual([...named].toSorted(), all.map(actionName).toSorted(), 'actions that the audit names')
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
    assertAudited(once)
    assert.deepEqual(Object.fromEntries(again.left), Object.fromEntries(once.left))
  })
})
