import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { createOperator } from '../../src/exchange/operators/operator.ts'
import { type Permission, permissionsOf, roles } from '../../src/exchange/operators/roles.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { runCommand } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

let exchange: Exchange
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
after(() => exchange.stop())

/** Commands that change something, and the permission that each needs. What they name does not exist, so an allowed one fails later. */
const commands: [Permission, string][] = [
  ['orders.hold', 'transaction hold 1 --reason drill'],
  ['orders.release', 'transaction release 1 --reason drill'],
  ['orders.refund', 'transaction refund 1 --reason drill'],
  ['orders.cancel', 'transaction cancel 1 --reason drill'],
  ['payouts.approve', 'payout approve 1'],
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
