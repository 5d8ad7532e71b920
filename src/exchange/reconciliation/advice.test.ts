import assert from 'node:assert/strict'
import { test } from 'node:test'

import { staffForms } from '../../../test/support/staff-forms.ts'
import { commandsOf } from '../../doors/commands/act.ts'
import { readUsage } from '../../doors/commands/usage.ts'
import { allActions } from '../actions/all.ts'
import { advice, advisedCommands } from './advice.ts'

const actionsByCommand = new Map(
  allActions
    .flatMap(([, actions]) => actions)
    .flatMap((action) => commandsOf([action]).map((one) => [readUsage(one).name.join(' '), action] as const)),
)

/** Pages on which somebody decides about a break: the list itself, an order that it is about, and the halts. */
const pages = ['/console/money', '/console/orders/:id', '/console/system']

test('what is advised about a break can be done, by a command and by a form that a browser sends', () => {
  assert.deepEqual(Object.keys(advisedCommands), Object.keys(advice))
  const forms = new Set(staffForms.map(({ name }) => name))
  for (const [cause, commands] of Object.entries(advisedCommands)) {
    assert.ok(commands.length > 0, cause)
    for (const command of commands) {
      const action = actionsByCommand.get(command)
      assert.ok(action, `${cause}: there is no command ${command}`)
      const isShown = pages.some((page) => forms.has(`${page} ${action.name}`))
      assert.ok(isShown, `${cause}: no page has a form for ${command}`)
    }
  }
})
