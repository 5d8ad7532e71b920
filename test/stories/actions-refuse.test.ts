import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { commandsOf } from '../../src/doors/commands/act.ts'
import { readUsage } from '../../src/doors/commands/usage.ts'
import { type Acting, grouping } from '../../src/doors/pages/actions.tsx'
import type { Action } from '../../src/exchange/actions/action.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { permissionsOf, roles } from '../../src/exchange/operators/roles.ts'
import { addEndpoint, changeEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { Refusal } from '../../src/platform/lib/refusal.ts'
import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const why = 'A test does not allow it now.'

const page = {
  assets: {} as never,
  params: {},
  query: new URLSearchParams(),
  path: '/',
  csrf: '',
}

/** The same action in a state in which it is not possible, about whatever is named. */
const refusing = ({ byOperator: _who, check: _typed, ...action }: Action<unknown>): Action<unknown> => ({
  ...action,
  subject: { ...action.subject, find: () => ({}) },
  fields: [],
  allowedNow: () => why,
  run: () => assert.fail('It is done.'),
})

const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Refusal ? `${error.code} ${error.message}` : error),
  )

/** An action's commands, with all that their usage asks for. */
const run = (action: Action<unknown>) =>
  commandsOf([action]).map((one) => {
    const { args } = readUsage(one)
    const flags = { reason: 'A test.', ...(action.subject.flag === undefined ? {} : { [action.subject.flag]: '7' }) }
    const within = <T>(work: (own: ReturnType<typeof ctx>) => Promise<T>) => work(ctx())
    return one.run({ args: args.map(() => '7'), flags, exchange: within, patientExchange: within })
  })

const acting: Acting = { may: () => true, by: () => Promise.resolve({ actor: 'test', operator: undefined }) }

it('every action is refused in the same state with the same sentence by its command and by its form', async () => {
  const wrong: string[] = []
  for (const action of allActions.flatMap(([, all]) => all).map(refusing)) {
    const form = new URLSearchParams({ action: action.name, reason: 'A test.' })
    const visit = { ...page, ctx: ctx(), form, acting }
    const answers = [
      ...run(action),
      ...(action.noForm === undefined ? [grouping<typeof visit>()([action]).act(visit)] : []),
    ]
    for (const answer of await Promise.all(answers.map(refusalOf)))
      if (answer !== `CONFLICT ${why}`) wrong.push(`${action.subject.noun} ${action.name}: ${String(answer)}`)
  }
  assert.deepEqual(wrong, [])
})

it('only who runs the exchange opens it after a restore', () => {
  const open = allActions
    .flatMap(([, all]) => all)
    .find(({ subject, name }) => subject.noun === 'restore' && name === 'open')
  assert.ok(open)
  assert.deepEqual(
    roles.filter((role) => permissionsOf[role].has(open.permission)),
    ['admin'],
  )
})

it('a disabled endpoint is not paused by a command, and still needs somebody', async () => {
  const partnerId = BigInt(exchange.sandbox.partner_id)
  const { endpoint } = await addEndpoint(ctx(), { partnerId, url: 'http://127.0.0.1:9/hook' }, 'test')
  const id = String(endpoint.id)
  await lookup(
    exchange,
    `update webhook_endpoints set status = 'disabled', failing_since = now() - interval '2 h' where id = ${id}`,
  )
  const { exitCode, err } = await commandLineOf(exchange).cambio('webhook', 'pause', id)
  assert.equal(exitCode, 1)
  assert.match(err, /This endpoint is disabled\./)
  const needs = await listNeeds(ctx())
  assert.ok(needs.some(({ kind, cause }) => `${kind} ${cause}` === 'endpoint disabled'))
  await changeEndpoint(ctx(), { id: endpoint.id }, { status: 'active' }, 'test')
})
