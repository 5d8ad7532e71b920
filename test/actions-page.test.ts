import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { commandsOf } from '../src/doors/commands/act.ts'
import { readUsage } from '../src/doors/commands/usage.ts'
import { type Action, actionName } from '../src/exchange/actions/action.ts'
import { allActions } from '../src/exchange/actions/all.ts'
import { permissionsOf, roles } from '../src/exchange/operators/roles.ts'
import { byHand } from './support/by-hand.ts'
import { projectFolder, readSources } from './support/source.ts'
import { staffForms } from './support/staff-forms.ts'

const file = join(projectFolder, 'docs/operator/actions.md')

const own = { admin: 'administrators', member: 'everybody' }
const reasons = { clear: 'yes', sealed: 'yes', optional: 'may be given', none: 'no' }

const valuesOf = ({ fields }: Action<unknown>): string =>
  fields
    .filter(({ pairs }) => !pairs)
    .map(({ label, kind }) => `${label}: ${kind.form}`)
    .join('; ')

function rowOf(action: Action<unknown>): string {
  const { title, does, permission, needsReason, noForm, approvals = 1, atPortal } = action
  const may = roles.filter((role) => permissionsOf[role].has(permission)).join(', ')
  const commands = commandsOf([action]).map((command) => `\`${readUsage(command).name.join(' ')}\``)
  const cells = [
    title,
    `\`${actionName(action)}\``,
    does,
    valuesOf(action),
    noForm === undefined ? 'yes' : `no: ${noForm.charAt(0).toLowerCase()}${noForm.slice(1)}`,
    commands.join(', ') || 'no',
    `\`${permission}\``,
    may,
  ]
  return `| ${[...cells, reasons[needsReason], approvals, atPortal ? own[atPortal] : 'no'].join(' | ')} |`
}

/** The page as the actions themselves say it. */
const page = (): string => `# What an operator can do

Each action is a form of [the console](console.md), a command, or both: \`bin/cambio help\` and the command's name shows what it takes. This page is made from the
actions themselves. The name is what [the audit](console.md) calls it. Who of a partner's people may do it for their own account in the portal is in the last column.
${allActions
  .map(
    ([about, actions]) => `
## ${about}

| Action | Name | Does | Takes | Form | Command | Permission | Roles | Reason | Operators | Portal |
|---|---|---|---|---|---|---|---|---|---|---|
${actions.map(rowOf).join('\n')}
`,
  )
  .join('')}
## Forms that are no actions

These forms of the console and the portal are drawn by hand, each named by its page and what it sends. Every other form is an action's.

| Form | Why |
|---|---|
${Object.entries(byHand)
  .map(([name, [, why]]) => `| \`${name}\` | ${why} |`)
  .join('\n')}
`

test('the page of actions says what the actions say', () => {
  if (process.env.WRITE_PAPERS) writeFileSync(file, page())
  assert.equal(readFileSync(file, 'utf8'), page())
})

test('a form that is drawn by hand says why, and is posted in a browser', () => {
  const drawn = readSources('src/doors')
    .filter(({ path }) => !/^src\/doors\/pages\/(actions|form)\.tsx$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/<ActionForm\b[^>]*?\baction=(\S+)/g)].map(
        ([, action = '']) => `${path.replace('src/doors/', '')} ${action.replaceAll('"', '')}`,
      ),
    )
  const listed = Object.entries(byHand).map(([name, [file]]) => `${file} ${name.split(' ')[1]}`)
  assert.deepEqual(new Set(drawn), new Set(listed))
  const posted = new Set(staffForms.map(({ name }) => name))
  assert.deepEqual(
    Object.keys(byHand).filter((name) => !posted.has(name)),
    [],
  )
})

test('an action is a form that is posted in a browser, or says why it has none and has a command', () => {
  const posted = new Set(staffForms.map(({ name }) => name.split(' ')[1]))
  for (const action of allActions.flatMap(([, actions]) => actions)) {
    const { name, noForm, subject } = action
    const what = `${subject.noun} ${name}`
    if (noForm === undefined) assert.ok(posted.has(name), what)
    else {
      assert.match(noForm, /^[A-Z].{20,}\.$/, what)
      assert.ok(commandsOf([action]).length > 0, what)
    }
  }
})

test('no two actions have one name, and no two of a page are sent as one', () => {
  const all = allActions.flatMap(([, actions]) => actions.map(actionName))
  assert.deepEqual([...new Set(all)], all)
  for (const [about, actions] of allActions) {
    const names = actions.map(({ name }) => name)
    assert.deepEqual([...new Set(names)], names, about)
  }
})
