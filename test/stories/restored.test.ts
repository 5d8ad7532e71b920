import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { closeIfRestored } from '../../src/exchange/operations/restore.ts'
import { noPayoutMemory } from '../../src/rails/payout-memory.ts'
import type { PayoutHalf, Rail } from '../../src/rails/rail.ts'
import { commandLineOf } from '../support/command.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, lookup, pay, readyToPay } from '../support/journey.ts'
import { mailServer } from '../support/mail-server.ts'
import { needsOf } from '../support/needed.ts'
import { copyDatabase } from '../support/restored-bank.ts'
import { until } from '../support/telling.ts'
import { asOwner } from '../support/server.ts'

type Shown = { restored: boolean; reason: string | null; left: { rail: string; key: string; asset: string }[] }

const folder = mkdtempSync(join(tmpdir(), 'cambio-restored-'))
/** What left in the world outside, which no restore takes back: a rail pays each key once. */
const outside = new Map<string, { rail: string; asset: string }>()
let original: TestDatabase
let backup: TestDatabase
let restored: TestDatabase
let exchange: Exchange
let mails: Awaited<ReturnType<typeof mailServer>>
/** Where webhooks arrive. */
const receiver = { url: '', calls: 0, stop: () => Promise.resolve() }

async function start(database: TestDatabase): Promise<void> {
  exchange = await startExchange({
    DATABASE_URL: database.ownerUrl,
    DATA_DIR: folder,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
    SMTP_URL: mails.url,
  })
  for (const rail of exchange.service.composition.ctx.rails.all) if (rail.payout) outlive(rail, rail.payout)
}

function outlive({ name }: Rail, half: PayoutHalf): void {
  const submit = half.submit.bind(half)
  half.submit = async (plan) => {
    outside.set(plan.key, { rail: name, asset: plan.body.asset ?? '' })
    await submit(plan)
  }
}

const { begins, ends } = needsOf(() => ({ ...exchange, ownerUrl: restored.ownerUrl }))

const shown = (): Promise<Shown> =>
  commandLineOf({ ...exchange, ownerUrl: restored.ownerUrl }).told<Shown>('restore', 'show')
const count = async (sql: string): Promise<number> => {
  const [row] = await lookup<{ n: number }>(
    { ...exchange, ownerUrl: restored.ownerUrl },
    `select count(*)::int as n from ${sql}`,
  )
  return row?.n ?? -1
}

before(async () => {
  mails = await mailServer()
  const server = createServer((_, response) => {
    receiver.calls += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  receiver.stop = () => new Promise((resolve) => server.close(() => resolve()))
  original = await testDatabase()
  backup = await testDatabase()
  restored = await testDatabase()
  await start(original)
})
after(async () => {
  await exchange.stop()
  await Promise.all([mails.close(), receiver.stop()])
  rmSync(folder, { recursive: true, force: true })
})

describe('an exchange whose database was restored to an earlier moment', () => {
  let id: string

  it('starts closed, and shows what left after that moment', async () => {
    const endpoint = await exchange.api('/v1/webhook-endpoints', { body: { url: receiver.url } })
    assert.equal(endpoint.status, 201)
    ;({ id } = await readyToPay(exchange))
    await exchange.stop()
    await copyDatabase(original, backup)

    await start(original)
    assert.equal((await exchange.api('/v1/status')).body.restored, false, 'a copy of nothing is open')
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await exchange.stop()
    assert.equal(outside.size, 1)

    await copyDatabase(backup, restored)
    await start(restored)
    const { status, body } = await exchange.api('/v1/status')
    assert.deepEqual([status, body.restored, body.payouts], [200, true, 'halted'])
    const [[key] = []] = outside
    const { restored: isClosed, left } = await shown()
    assert.equal(isClosed, true)
    assert.deepEqual(
      left.map((one) => one.key),
      [key],
    )
    await begins('restored restored', /^The exchange was restored from a backup, and nothing leaves: /)
  })

  it('pays nothing and sends no e-mail while it is closed, and pays nothing twice once it is open', async () => {
    const sent = [mails.mails.length, receiver.calls]
    await pay(exchange, id)
    await arrive(exchange, id, 'exchanging')
    assert.equal(await count("plans where state <> 'planned'"), 0)
    await until(async () => (await count('mails where sent_at is null')) > 0, 'an e-mail to wait')
    await until(async () => (await count('webhook_queue')) > 0, 'webhooks to wait')
    assert.deepEqual([mails.mails.length, receiver.calls], sent)

    const { told } = commandLineOf({ ...exchange, ownerUrl: restored.ownerUrl })
    assert.deepEqual(await told('restore', 'open', '--reason', 'the list was compared'), { status: 'open' })
    await arrive(exchange, id, 'finished')
    await until(() => Promise.resolve(receiver.calls > Number(sent[1])), 'webhooks to leave')
    assert.equal(outside.size, 1, 'the payment has the key that it had before')
    await ends('restored restored')
    await assertBooksHold(exchange)
    assert.deepEqual(await shown(), { restored: false, since: null, reason: null, left: [], may_have_left: [] })
  })

  it('stays open at its next start', async () => {
    await exchange.stop()
    await start(restored)
    assert.equal((await exchange.api('/v1/status')).body.restored, false)
  })

  it('starts closed on a server that it does not remember', async () => {
    await exchange.stop()
    await asOwner(restored.ownerUrl, (client) => client.query(`update service_state set system_identifier = '1'`))
    await start(restored)
    assert.equal((await exchange.api('/v1/status')).body.restored, true)
    assert.match((await shown()).reason ?? '', /another server/)
    const { told } = commandLineOf({ ...exchange, ownerUrl: restored.ownerUrl })
    await told('restore', 'open', '--reason', 'we moved')
  })

  it('closes while it runs, where the database goes back under it', async () => {
    const isRestored = async () => (await exchange.api('/v1/status')).body.restored === true
    await until(async () => !(await isRestored()), 'the exchange to be open')
    // It notes the time every three seconds: one that is noted at this moment hides the change.
    await until(async () => {
      await asOwner(restored.ownerUrl, (client) => client.query(`update sightings set at = at - interval '1 second'`))
      return isRestored()
    }, 'the exchange to close')
    assert.match((await shown()).reason ?? '', /has seen the database as it was later/)
    const { told } = commandLineOf({ ...exchange, ownerUrl: restored.ownerUrl })
    await told('restore', 'open', '--reason', 'nothing was lost')
  })

  it('stays open where another machine comes back that saw what was lost before it was opened', async () => {
    const { ctx } = exchange.service.composition
    const { rows } = await asOwner(restored.ownerUrl, (client) =>
      client.query<{ at: Date }>(`select at from sightings where machine = '*'`),
    )
    const at = rows[0]?.at ?? assert.fail()
    const closesWith = async (ms: number): Promise<boolean> => {
      const sighting = () => ({ machine: 'away for a week', at: new Date(at.getTime() + ms) })
      await closeIfRestored({ ...ctx, payoutMemory: { ...noPayoutMemory, sighting } })
      return (await exchange.api('/v1/status')).body.restored === true
    }
    assert.equal(await closesWith(-1_000), false)
    await asOwner(restored.ownerUrl, (client) => client.query(`delete from sightings where machine like 'away%'`))
    assert.equal(await closesWith(1_000), true)
    const { told } = commandLineOf({ ...exchange, ownerUrl: restored.ownerUrl })
    await told('restore', 'open', '--reason', 'nothing was lost')
  })

  it('is closed when only a rail knows what left', async () => {
    const { ctx } = exchange.service.composition
    const at = ctx.clock.now()
    const line = { payment: 'bank 1', reference: 'ours 1', asset: 'EUR-EUR', amount: -100n, at }
    const rails = ctx.rails.all.map((rail) =>
      rail.payout && rail.statement
        ? {
            ...rail,
            payout: { ...rail.payout, isKey: (text: string) => text === 'ours 1' },
            statement: () => Promise.resolve([line]),
          }
        : rail,
    )
    await closeIfRestored({ ...ctx, payoutMemory: noPayoutMemory, rails: { ...ctx.rails, all: rails } })
    assert.equal((await exchange.api('/v1/status')).body.restored, true)
  })
})
