import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Body, type Calls, callsOf, made, problemOf, toldOf, wallet } from '../support/b2b.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'

describe('a new payout address', () => {
  let exchange: Exchange
  let calls: Calls
  let cambio: CommandLine['told']
  let partner: string
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off', B2B_COOLING_OFF: 'P1D' })
    calls = callsOf(exchange)
    cambio = commandLineOf(exchange).told
    partner = exchange.sandbox.partner_id
  })
  after(() => exchange.stop())

  const approvalFor = async (isAsked: 'on' | 'off') => {
    await cambio('partner', 'set', '--partner', partner, `b2b_approval=${isAsked}`)
  }
  const statusOf = async (id: string) => {
    const { bank_accounts: accounts, crypto_wallets: wallets } = await calls.addresses()
    return [...accounts, ...wallets].find((one) => one.id === id)?.status
  }
  const orderFor = (id: string) => calls.order({ payout_address_id: id })

  it('is active when its cooling-off time is over, not before, and then is paid to', async () => {
    const added = await made(calls.addWallet(wallet('cools')))
    assert.equal(added.status, 'pending_review')
    assert.equal(Date.parse(added.active_from) - Date.parse(added.created_at), 86_400_000)
    assert.deepEqual(problemOf(await orderFor(added.id)).slice(0, 2), [409, 'CONFLICT'])
    await advance(exchange, 'PT23H59M')
    assert.equal(await statusOf(added.id), 'pending_review')
    await advance(exchange, 'PT2M')
    assert.equal(await statusOf(added.id), 'active')
    assert.equal((await orderFor(added.id)).status, 201)
    assert.deepEqual(await told(added.id), [
      [1, 'pending_review'],
      [2, 'active'],
    ])
  })

  /** What was told of an address, in order. */
  async function told(id: string): Promise<[number, string][]> {
    const own = async () => toldOf(exchange, id)
    await until(async () => (await own()).length > 1, 'two events')
    const events = await own()
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['b2b.payout_address.status_changed']))
    return events.map(({ sequence, payload }) => [sequence, payload.status])
  }

  it('waits for an operator where the account asks for it, whatever its cooling-off time', async () => {
    await approvalFor('on')
    await until(async () => {
      const added = await made(calls.addWallet(wallet(`probe ${Math.random()}`)))
      const [row] = await lookup<{ needs_approval: boolean }>(
        exchange,
        'select needs_approval from payout_addresses where id = $1',
        [added.id],
      )
      return row?.needs_approval === true
    }, 'the setting to hold')
    const late = await made(calls.addWallet(wallet('late')))
    const soon = await made(calls.addWallet(wallet('soon')))
    const approved = await cambio<{ status: string; approved_at: string }>('b2b', 'approve', soon.id)
    assert.equal(approved.status, 'pending_review')
    assert.ok(approved.approved_at)
    await advance(exchange, 'P2D')
    assert.deepEqual([await statusOf(late.id), await statusOf(soon.id)], ['pending_review', 'active'])
    assert.deepEqual(problemOf(await orderFor(late.id)).slice(0, 2), [409, 'CONFLICT'])
    assert.equal((await cambio<{ status: string }>('b2b', 'approve', late.id)).status, 'active')
    assert.equal((await orderFor(late.id)).status, 201)
    const listed = await cambio<{ id: string }[]>('b2b', 'list', '--partner', partner)
    assert.ok(listed.some(({ id }) => id === late.id))
    await approvalFor('off')
  })

  it('that was rejected or disabled stays so when it is added again, and begins anew when approved', async () => {
    const { id } = await made(calls.addWallet(wallet('rejected')))
    assert.equal((await cambio<{ status: string }>('b2b', 'reject', id, '--reason', 'unknown bank')).status, 'rejected')
    await advance(exchange, 'P2D')
    const again = await calls.addWallet(wallet('rejected'))
    assert.deepEqual([again.status, again.body.status], [200, 'rejected'])
    const approved = await cambio<{ status: string; active_from: string }>('b2b', 'approve', id)
    assert.equal(approved.status, 'pending_review')
    await advance(exchange, 'P1D')
    assert.equal(await statusOf(id), 'active')
    const rows = await lookup<{ actor: string; action: string; before: Body | null; after: Body }>(
      exchange,
      'select actor, action, before, after from audit where subject = $1 order by id',
      [`payout_address:${id}`],
    )
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['added', 'rejected', 'approved', 'activated'].map((word) => `payout_address.${word}`),
    )
    assert.match(rows[0]?.actor ?? '', /^key:\d+$/)
    assert.match(rows[1]?.actor ?? '', /^cli:/)
    assert.deepEqual([rows[1]?.before?.status, rows[1]?.after.status], ['pending_review', 'rejected'])
  })
})
