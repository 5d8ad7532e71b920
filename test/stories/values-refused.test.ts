import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'

import { commandsOf } from '../../src/doors/commands/act.ts'
import { parseArguments, readUsage } from '../../src/doors/commands/usage.ts'
import { grouping } from '../../src/doors/pages/actions.tsx'
import type { Action, Field } from '../../src/exchange/actions/action.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { namedProblem, Refusal } from '../../src/platform/lib/refusal.ts'

const actions = allActions.flatMap(([, own]) => own)
const file = join(mkdtempSync(join(tmpdir(), 'cambio-')), 'wrong')

/** What is typed besides, by what the usage calls it. */
const right: Readonly<Record<string, string>> = {
  FILE: file,
  ASSET: 'EUR-EUR',
  EMAIL: 'a@one.example',
  URL: 'https://one.example',
}

/** What is no value of a field: too long where it has a length, else no form of anything. */
function wrongIn({ kind: { schema } }: Field<never>): string | undefined {
  if (typeof schema.maxLength === 'number') return 'x'.repeat(schema.maxLength + 1)
  return [schema.pattern, schema.format, schema.enum].some((one) => one !== undefined) ? 'wrong?' : undefined
}

const refusalOf = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  throw error
}

/** What the form of an action says of a value, and at which field; what it is about is not looked at before. */
async function byForm(action: Action<unknown>, name: string, value: string): Promise<Refusal> {
  const form = new URLSearchParams({ action: action.name, [name]: value })
  const group = grouping<never>()([action], { about: () => Promise.resolve({ kind: 'fees' } as unknown) })
  const acting = { may: () => true }
  return group.act({ form, path: '/', ctx: {}, acting } as never).then(() => assert.fail('it is done'), refusalOf)
}

/** What its command says of it. Nothing is opened before. */
async function byCommand(action: Action<unknown>, field: Field<unknown>, value: string): Promise<Refusal | undefined> {
  const spelled = field.argument ?? `--${field.flag ?? field.name.replaceAll('_', '-')}`
  const command = commandsOf([action]).find(
    ({ usage }) => usage.includes(` ${spelled}`) || usage.includes(`[${spelled}`),
  )
  if (!command) return undefined
  const { args, flags } = readUsage(command)
  writeFileSync(file, field.isFile ? value : '{}')
  const given = field.isFile ? file : value
  const valueOf = (name: string): string => (name === spelled ? given : (right[name] ?? '1'))
  const others = flags.filter(({ optional, name }) => !optional && `--${name}` !== spelled)
  const texts = Object.fromEntries([
    ...others.map(({ name, value: of }) => [name, right[of] ?? (of.includes('|') ? (of.split('|')[0] ?? '') : '1')]),
    ...(field.argument === undefined ? [[spelled.slice(2), given]] : []),
  ]) as Record<string, string>
  const none = () => assert.fail('it opens the exchange')
  const input = { args: args.map(valueOf), flags: texts, exchange: none, patientExchange: none }
  return command.run(input).then(() => assert.fail('it is done'), refusalOf)
}

it('a value of no field is refused by form and command in the same words, at the field', async () => {
  const differing: string[] = []
  const both = new Set<string>()
  for (const action of actions)
    for (const field of action.fields) {
      const value = wrongIn(field)
      if (value === undefined || field.pairs) continue
      const name = `${action.subject.noun} ${action.name} ${field.name}`
      const spelled = field.argument ?? `--${field.flag ?? field.name.replaceAll('_', '-')}`
      const form =
        field.isOfCommands || action.noForm !== undefined ? undefined : await byForm(action, field.name, value)
      const command = field.isOfForms ? undefined : await byCommand(action, field, value)
      for (const refusal of [form, command])
        if (refusal && refusal.problems[0]?.path !== field.name) differing.push(`${name}: not at the field`)
      if (!form || !command) continue
      both.add(name)
      const expected = namedProblem({ path: spelled, code: form.code, message: form.message }).message
      if (command.message !== expected) differing.push(`${name}: "${command.message}" is not "${expected}"`)
    }
  assert.deepEqual(differing, [])
  assert.ok(both.size > 40, `only ${both.size} fields are in a form and a command`)
})

it('a choice that a command does not know is refused in the words of its form', async () => {
  const create = actions.find(({ subject, name }) => subject.noun === 'key' && name === 'create')
  assert.ok(create)
  const [command] = commandsOf([create])
  const form = await byForm(create, 'kind', 'open')
  const said = namedProblem({ path: '--kind', code: form.code, message: form.message }).message
  assert.throws(
    () => parseArguments(command ?? assert.fail(), ['--partner', '1', '--kind', 'open']),
    (error: Error) => error.message.startsWith(said),
  )
})
