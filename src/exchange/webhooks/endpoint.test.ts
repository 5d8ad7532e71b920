import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  addReceiver,
  queueOf,
  sequencesOf,
  settled,
  startDelivering,
  typesAt,
} from '../../../test/support/delivering.ts'
import { firstRetryMs, newStream, startReceiver, until } from '../../../test/support/telling.ts'
import { auditOf } from '../audit/audit.ts'
import { readMailbox } from '../mail/mailbox.ts'
import { setPartner } from '../partners/change.ts'
import { removeEndpoint } from './manage-endpoints.ts'

const minute = 60_000

describe('an endpoint', () => {
  it('that is dead or slow delays no other', async (t) => {
    const { telling, receiver } = await startDelivering(t, { WEBHOOK_TIMEOUT: 'PT60S' })
    const hanging = await startReceiver(t)
    hanging.answer = () => undefined
    const dead = await startReceiver(t)
    for (const other of [hanging, dead]) await addReceiver(telling, other)
    await dead.close()

    for (let round = 0; round < 10; round += 1) await telling.tell(...Array.from({ length: 20 }, () => newStream()))
    await receiver.got(200)
    assert(hanging.all.length <= 16, 'all received it while the hanging one still hung')
    assert.deepEqual(telling.complaints, [])
    await hanging.close()
  })

  it('that only fails is asked with one event at a time', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    let busy = 0
    let most = 0
    receiver.answer = (_request, response) => {
      busy += 1
      most = Math.max(most, busy)
      setTimeout(() => {
        busy -= 1
        response.writeHead(500).end()
      }, 2)
    }
    await telling.tell(...Array.from({ length: 30 }, () => newStream()))
    await receiver.got(30)
    await settled(telling)
    assert(most > 1)
    most = 0
    await telling.tell(...Array.from({ length: 20 }, () => newStream()))
    await receiver.got(50)
    await settled(telling)
    assert.equal(most, 1)
    assert.equal((await queueOf(telling)).filter(({ attempts }) => attempts >= 1).length, 50)
  })

  it('that answers 410 is disabled, reported in the feed, and gets nothing more', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const witness = await startReceiver(t)
    await addReceiver(telling, witness, ['endpoint.disabled', 'endpoint.failing'])
    receiver.answer = (_request, response) => response.writeHead(410).end()
    const stream = newStream()
    await telling.tell(stream, stream, newStream(), newStream())
    await witness.got(1)
    const notice = JSON.parse(witness.all[0]?.body ?? '') as { type: string; payload: { url: string; status: string } }
    assert.deepEqual(
      [notice.type, notice.payload.url, notice.payload.status],
      ['endpoint.disabled', receiver.url, 'disabled'],
    )
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
    await settled(telling)

    const before = receiver.all.length
    await telling.tell(newStream())
    await settled(telling)
    assert.equal(receiver.all.length, before)
    assert(!sequencesOf(receiver, stream).includes(2))
  })

  it('with nothing but failures is announced as failing after an hour and disabled after five days', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const witness = await startReceiver(t)
    await addReceiver(telling, witness, ['endpoint.disabled', 'endpoint.failing'])
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    telling.advance(61 * minute)
    await witness.got(1)
    await settled(telling)
    assert.deepEqual(typesAt(witness), ['endpoint.failing'])

    telling.advance(4 * 24 * 60 * minute)
    await settled(telling)
    assert.deepEqual(typesAt(witness), ['endpoint.failing'])
    telling.advance(25 * 60 * minute)
    await telling.tell(newStream())
    await witness.got(2)
    assert.deepEqual(typesAt(witness), ['endpoint.failing', 'endpoint.disabled'])
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
  })

  it('that fails has its partner written to, a day before it is disabled at the least', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const { ctx, partner } = telling
    await setPartner(ctx, partner.partner.id, { contact_email: 'webmaster@example.com' }, 'test')
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    const subjects = async () => (await readMailbox(ctx)).map(({ subject }) => subject.split(' ').at(-1))
    // Nobody looked for six days: it is announced now, not disabled.
    telling.advance(6 * 24 * 60 * minute)
    await until(async () => (await subjects()).length === 1, 'an email')
    await telling.tell(newStream())
    await settled(telling)
    assert.deepEqual(await subjects(), ['fail'])
    telling.advance(23 * 60 * minute)
    await telling.tell(newStream())
    await settled(telling)
    assert.deepEqual(await subjects(), ['fail'])
    telling.advance(2 * 60 * minute)
    await telling.tell(newStream())
    await until(async () => (await subjects()).length === 2, 'another email')
    const [last, first] = await readMailbox(ctx)
    assert.deepEqual([last?.to, last?.subject.includes('have been stopped')], ['webmaster@example.com', true])
    assert(first?.text.includes(receiver.url) && last?.text.includes('/replay'))
    const audit = JSON.stringify(await auditOf(ctx.db, `partner:${partner.partner.id}`), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    assert(!audit.includes('webmaster'), 'the audit names no person')
  })

  it('is healthy again with its first success, and its five days start over', async (t) => {
    const { telling, receiver } = await startDelivering(t)
    const status = async () =>
      (await telling.ctx.db.sql<object>`select status, failing_since from webhook_endpoints`)[0]
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream())
    await receiver.got(1)
    await settled(telling)
    telling.advance(61 * minute)
    await until(async () => ((await status()) as { status: string }).status === 'failing')
    receiver.answer = (_request, response) => response.writeHead(200).end()
    await telling.tell(newStream())
    await until(async () => ((await status()) as { status: string }).status === 'active')
    assert.deepEqual(await status(), { status: 'active', failing_since: null })
  })

  it('that was removed gets nothing more, and what waited for it is gone', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    receiver.answer = (_request, response) => response.writeHead(500).end()
    await telling.tell(newStream(), newStream())
    await receiver.got(2)
    await settled(telling)
    await removeEndpoint(telling.ctx, { id: endpointId }, 'test')
    telling.sender.forget()
    await until(async () => (await queueOf(telling)).length === 0, 'an empty queue')
    telling.advance(firstRetryMs)
    await telling.tell(newStream())
    await settled(telling)
    assert.equal(receiver.all.length, 2)
  })

  it('has its events delivered when it is made active again', async (t) => {
    const { telling, receiver, endpointId } = await startDelivering(t)
    const setStatus = async (status: string) => {
      await telling.ctx.db.sql`update webhook_endpoints set status = ${status} where id = ${endpointId}`
      telling.sender.forget()
    }
    await setStatus('paused')
    const stream = newStream()
    await telling.tell(stream, stream)
    await settled(telling)
    assert.equal(receiver.all.length, 0)
    assert.equal(await telling.sender.nextDue(telling.ctx.clock.now()), undefined)
    await setStatus('active')
    await receiver.got(2)
    assert.deepEqual(sequencesOf(receiver, stream), [1, 2])
  })
})
