import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { commands } from '../../app/commands/catalog.ts'
import type { Command, Invocation } from './command.ts'
import { explainFailure } from '../../app/commands/failure.ts'
import { runTyped } from './run.ts'
import { readUsage, usageOf } from './usage.ts'

const unreachable = () => Promise.reject(new Error('No command of this test reaches an exchange.'))
const nowhere = { exchange: unreachable, patientExchange: unreachable }

/** The real commands, which only echo their arguments. */
const echoes = commands.map((command): Command => ({
  ...command,
  run: ({ args, flags }: Invocation) =>
    Promise.resolve({ json: { name: readUsage(command).name.join(' '), args, flags } }),
}))

test('what was typed is read by the usage line of its command', async () => {
  const rows = table(`
    typed                                          read
    verify                                         {"name":"verify","args":[],"flags":{}}
    partner|create|Shop|--                         {"name":"partner create","args":["Shop"],"flags":{}}
    partner|create|--|--Shop                       {"name":"partner create","args":["--Shop"],"flags":{}}
    partner|set|--partner|7|a=1|b=2                {"name":"partner set","args":["a=1","b=2"],"flags":{"partner":"7"}}
    partner|set|a=1|--partner=7|b=2                {"name":"partner set","args":["a=1","b=2"],"flags":{"partner":"7"}}
    key|create|--kind|public|--partner|7           {"name":"key create","args":[],"flags":{"kind":"public","partner":"7"}}
    feature|off|b2b|--partner|7                    {"name":"feature off","args":["b2b"],"flags":{"partner":"7"}}
    widget|sign|a=b&c=d|--partner|7                {"name":"widget sign","args":["a=b&c=d"],"flags":{"partner":"7"}}
  `)
  for (const { typed = '', read = '' } of rows) {
    const { json } = await runTyped(echoes, typed.split('|'), nowhere)
    assert.deepEqual(json, JSON.parse(read), typed)
  }
})

test('args that are no command, or not what it takes, get a plain sentence and exit code 2', async () => {
  const rows = table(`
    typed                                            says
    veryfy                                           There is no command "veryfy".
    --verify                                         There is no command "--verify".
    partner                                          "partner" needs one of: create, list, show, set, disable, enable.
    db|drop                                          "db" needs one of: url.
    help|partners                                    There is no command "partners".
    case|list                                        There is no command "case".
    help|case                                        There is no command "case".
    verify|now                                       Unexpected argument: now.
    partner|create                                   NAME is missing.
    partner|set|--partner|7                          key=value is missing.
    partner|show                                     --partner ID is missing.
    partner|show|--partner                           --partner needs a value.
    partner|show|--partner|7|--partner|8             --partner is given twice.
    partner|show|--partner|7|--constructor           Unknown flag: --constructor.
    key|create|--partner|7|--kind|private            --kind must be public or secret.
    key|revoke|-x                                    Unknown flag: -x.
  `)
  for (const { typed = '', says = '' } of rows) {
    const failure = await runTyped(echoes, typed.split('|'), nowhere).then(() => undefined, explainFailure)
    assert.equal(failure?.exitCode, 2, typed)
    assert.equal(failure.text.split('\n')[0]?.startsWith(says), true, `${typed}: ${failure.text}`)
  }
})

test('help names every command, explains a group, and tells all of one', async () => {
  const all = await runTyped(commands, [], nowhere)
  for (const command of commands)
    assert.ok(all.text?.includes(`  ${readUsage(command).name.join(' ')} `), command.usage)

  const group = await runTyped(commands, ['help', 'key'], nowhere)
  assert.match(group.text ?? '', /cambio key create --partner ID .*cambio key list .*cambio key revoke KEY_ID/s)
  const single = await runTyped(commands, ['partner', 'set', '--help'], nowhere)
  assert.match(single.text ?? '', /slippage_percent/)
})

test('the help of each noun lists its commands with what they do, and no others', async () => {
  const nouns = new Map<string, Command[]>()
  for (const command of commands) {
    const [noun = '', verb] = readUsage(command).name
    if (verb !== undefined) nouns.set(noun, [...(nouns.get(noun) ?? []), command])
  }
  const index = (await runTyped(commands, [], nowhere)).text?.split('\n') ?? []
  for (const [noun, own] of nouns) {
    assert.ok(index.includes(`${noun}:`), noun)
    const { text, json } = await runTyped(commands, ['help', noun], nowhere)
    assert.deepEqual(
      json,
      commands
        .filter((command) => readUsage(command).name[0] === noun)
        .map((command) => ({ usage: usageOf(command), does: command.does })),
    )
    for (const { usage, does } of own) {
      assert.match(does, /^[A-Z].+\.$/s, usage)
      assert.ok(text?.includes(does), usage)
    }
  }
  assert.ok(!nouns.has('case'), 'an order is a transaction')
})

test('a usage line says all there is to read', () => {
  for (const command of commands) {
    const { name, args, repeats, flags } = readUsage(command)
    const shown = [
      ...name,
      ...args,
      ...flags.map(({ name, value, optional }) =>
        optional ? `[${`--${name} ${value}`.trim()}]` : `--${name} ${value}`,
      ),
      ...(repeats ? ['...'] : []),
    ]
    assert.deepEqual(shown.join(' ').split(' ').toSorted(), usageOf(command).split(' ').toSorted())
  }
})
