import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { commandsOf } from '../../src/doors/commands/act.ts'
import { readUsage } from '../../src/doors/commands/usage.ts'
import type { Action } from '../../src/exchange/actions/action.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { formSender } from '../support/send-forms.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
let line: CommandLine
before(async () => {
  exchange = await startExchange()
  line = commandLineOf(exchange)
})
after(() => exchange.stop())

const wordsOf = (action: Action<unknown>): string =>
  commandsOf([action]).map((command) => readUsage(command).name.join(' '))[0] ?? ''

/** Every action whose command changes what is set, and what names its subject on the command line. */
async function changing(): Promise<{ action: Action<unknown>; words: string[]; show: string[]; id: string }[]> {
  const partner = exchange.sandbox.partner_id
  const { id: endpoint } = await line.told<{ id: string }>(
    'webhook',
    'add',
    'http://127.0.0.1:9/hook',
    '--partner',
    partner,
    '--rate',
    '7',
  )
  const key = await line.told<{ id: string }>(
    'key',
    'create',
    '--partner',
    partner,
    '--kind',
    'secret',
    '--label',
    'shop',
    '--allow-ip',
    '192.0.2.7',
  )
  const subjects: Record<string, { words: string[]; show: string[]; id: string }> = {
    'webhook set': { words: [endpoint], show: ['webhook', 'show', endpoint], id: endpoint },
    'partner set': { words: ['--partner', partner], show: ['partner', 'show', '--partner', partner], id: partner },
    'key set': { words: [key.id], show: ['key', 'list', '--partner', partner], id: key.id },
  }
  const found = allActions.flatMap(([, actions]) => actions).filter((action) => wordsOf(action).endsWith(' set'))
  assert.deepEqual(found.map(wordsOf).toSorted(), Object.keys(subjects).toSorted())
  return found.map((action) => {
    const name = wordsOf(action)
    const subject = subjects[name] ?? assert.fail(name)
    return { ...subject, action, words: [...name.split(' '), ...subject.words] }
  })
}

/** What a command takes: flags, and the names of its pairs. */
const takenBy = ({ fields }: Action<unknown>): string[][] =>
  fields
    .filter((field) => !field.pairs)
    .map(({ name, flag, isOfForms }) => (isOfForms ? [`${name}=`] : [`--${flag ?? name}`, '']))

/** Values that may be empty, and what they are then. */
const cleared: Readonly<Record<string, RegExp>> = { '--label': /"label":""/ }

it('an empty value is refused, or ends what was set visibly, with every command that sets something', async () => {
  for (const { action, words, show } of await changing()) {
    const typed = takenBy(action)
    assert.ok(typed.length > 0, words.join(' '))
    for (const empty of typed) {
      const what = [...words, ...empty].join(' ')
      const before = await line.told(...show)
      const { exitCode, out, err } = await line.cambio(...words, ...empty, '--json')
      const shows = cleared[empty[0] ?? '']
      if (shows) assert.match(out.replaceAll(/\s/g, ''), shows, what)
      else {
        assert.notEqual(exitCode, 0, `${what}: ${out}`)
        assert.match(err, /empty/, what)
        assert.deepEqual(await line.told(...show), before, what)
      }
    }
  }
})

it('an emptied field of a form that changes an endpoint is refused, and nothing is changed', async () => {
  await makeOperators(exchange)
  const browser = staffBrowser(() => exchange)
  const [forms, admin] = [formSender(browser), await browser.as('admin')]
  const { action, id, show } = (await changing()).find(({ words }) => words[0] === 'webhook') ?? assert.fail()
  const before = await line.told(...show)
  const path = `/console/partners/${exchange.sandbox.partner_id}`
  for (const { name, label } of action.fields.filter(({ isOfForms }) => isOfForms)) {
    const [form] = await forms.formsOf(path, admin, 'set', id)
    const { body } = await browser.ask(path, { cookie: admin, form: { ...form, [name]: '' } })
    assert.match(body, new RegExp(`${label} must not be empty`), name)
    assert.deepEqual(await line.told(...show), before, name)
  }
})
