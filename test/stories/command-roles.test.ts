import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import { commandsOf } from '../../src/doors/commands/act.ts'
import type { Command, Invocation } from '../../src/doors/commands/command.ts'
import { parseArguments, readUsage } from '../../src/doors/commands/usage.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { createOperator } from '../../src/exchange/operators/operator.ts'
import { type Permission, permissionsOf, roles } from '../../src/exchange/operators/roles.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'

let exchange: Exchange
const folder = mkdtempSync(join(tmpdir(), 'cambio-roles-'))
const tokens = new Map<string, string>()

before(async () => {
  exchange = await startExchange()
  const { ctx } = exchange.service.composition
  for (const role of roles) {
    const email = `${role}@example.com`
    await createOperator(ctx, { email, password: 'a horse on the stairs', role }, 'test')
    tokens.set(role, (await createToken(ctx, email, 'test')).text)
  }
})
after(async () => {
  await exchange.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Commands that change something, and the permission that each needs. What they name does not exist, so an allowed one fails later. */
const commands: [Permission, string][] = [
  ['orders.hold', 'transaction hold 1 --reason drill'],
  ['orders.release', 'transaction release 1 --reason drill'],
  ['orders.refund', 'transaction refund 1 --reason drill'],
  ['orders.cancel', 'transaction cancel 1 --reason drill'],
  ['payouts.approve', 'payout approve 1'],
  ['money.resolve', 'bank accept x.xml --reason drill'],
  ['money.resolve', 'bank read x.xml --reason drill'],
  ['money.resolve', 'bank skip 1 --rail bank-1 --reason drill'],
  ['payouts.approve', 'payout cancel 1 --reason drill'],
  ['payouts.approve', 'payout confirm 1 --reason drill'],
  ['payouts.approve', 'rebalance approve 1'],
  ['policies.approve', 'policy approve 1'],
  ['policies.propose', 'policy reject 1'],
  ['money.resolve', 'break resolve 1 --reason drill'],
  ['money.resolve', 'suspense match 1 1 --reason drill'],
  ['partners.manage', 'key revoke 1'],
  ['partners.manage', 'partner set --partner 1 signing=off'],
  ['system.halt', 'resume rail nothing --reason drill'],
  ['system.manage', 'rail resume nothing --reason drill'],
  ['team.manage', 'operator disable nobody@example.com'],
  ['team.manage', 'operator enable nobody@example.com'],
]

it('a command that changes something needs the permission of the operator whose token is given', async () => {
  for (const role of roles) {
    const env = { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir, OPERATOR_TOKEN: tokens.get(role) ?? '' }
    for (const [permission, line] of commands) {
      const { exitCode, err } = await runCommand(line.split(' '), env)
      assert.notEqual(exitCode, 0, line)
      const isRefused = /Your role, \w+, does not include this/.test(err)
      assert.equal(isRefused, !permissionsOf[role].has(permission), `${role}: ${line}\n${err}`)
    }
  }
})

/** What a command is given so that nothing but the role is in its way: everything that its usage asks for. */
function argumentsOf(command: Command): string[] {
  const { args, flags } = readUsage(command)
  const valueOf = (name: string, value: string): string => {
    if (value === 'FILE') return file
    const [choice = ''] = value.split('|')
    return /^[a-z_]+$/.test(choice) && value.includes('|') ? choice : (special[name] ?? special[value] ?? '1')
  }
  return [
    ...args.filter((arg) => !arg.startsWith('[')).map((arg) => special[arg] ?? '1'),
    ...flags
      .filter(({ name, optional }) => !optional || name === 'event')
      .flatMap(({ name, value }) => [`--${name}`, valueOf(name, value)]),
  ]
}
const file = join(folder, 'given')
writeFileSync(file, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
const special: Record<string, string> = {
  FILE: file,
  'key=value': 'signing=off',
  'KEY=VALUE': 'label=drill',
  DATE: '2026-01-05',
  ASSET: 'EUR-EUR',
  ADDRESS: 'ada@shop.example',
  EMAIL: 'ada@shop.example',
  NAME: 'b2b',
  ROLE: 'viewer',
  URL: 'https://shop.example/hook',
}

it('every command of every action is refused to each role that does not include it, and does nothing', async () => {
  const { ctx } = exchange.service.composition
  const audited = () => lookup(exchange, 'select count(*) from audit')
  const before = await audited()
  const others: string[] = []
  let refused = 0
  for (const role of roles) {
    const withToken = { ...ctx, config: { ...ctx.config, operator: { token: tokens.get(role) } } }
    const open = <T>(work: (own: typeof ctx) => Promise<T>): Promise<T> => work(withToken)
    for (const [, actions] of allActions) {
      for (const action of actions) {
        if (permissionsOf[role].has(action.permission)) continue
        for (const command of commandsOf([action])) {
          const given = parseArguments(command, argumentsOf(command))
          const input: Invocation = { ...given, exchange: open, patientExchange: open }
          const answer = await command.run(input).then(
            () => 'done',
            (error: unknown) => String(error),
          )
          if (/Your role, \w+, does not include this/.test(answer)) refused += 1
          else others.push(`${role}: ${command.usage}: ${answer}`)
        }
      }
    }
  }
  assert.deepEqual(others, [])
  assert.ok(refused > 100, String(refused))
  assert.deepEqual(await audited(), before)
})
