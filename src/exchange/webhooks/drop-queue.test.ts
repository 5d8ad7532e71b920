import assert from 'node:assert/strict'
import { it } from 'node:test'

import { queueOf, startDelivering } from '../../../test/support/delivering.ts'
import { newStream, until } from '../../../test/support/telling.ts'
import { openRelay } from '../events/relay.ts'
import { dropStreams, endpointEnded } from './drop-queue.ts'
import { changeEndpoint, removeEndpoint } from './manage-endpoints.ts'

it('the queue of an endpoint that has ended is dropped by whole streams, so that nothing waits for what is gone', async (t) => {
  const { telling, receiver, endpointId } = await startDelivering(t)
  const { ctx, sender } = telling
  await changeEndpoint(ctx, { id: endpointId }, { status: 'paused' }, 'test')
  const [first, second] = [newStream(), newStream()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  assert(first && second)
  for (let round = 0; round < 3; round += 1) await telling.tell(first, second)
  await until(async () => (await queueOf(telling)).length === 6, 'all of them')

  const dropSome = () => dropStreams(ctx, endpointId, 2)
  assert.equal(await dropSome(), 0, 'nothing of one that has not ended')
  await ctx.db.sql`update webhook_endpoints set status = 'disabled' where id = ${endpointId}`
  assert.equal(await dropSome(), 3)
  await changeEndpoint(ctx, { id: endpointId }, { status: 'active' }, 'test')
  assert.equal(await dropSome(), 0, 'nothing of one that is active again')
  await telling.tell(first, second)
  sender.forget()
  await receiver.got(5)
  await until(async () => (await queueOf(telling)).length === 0, 'the rest')
  const came = receiver.all.map(({ event }) => `${event.id.startsWith(`evt_${first.id}`) ? 1 : 2}.${event.sequence}`)
  assert.deepEqual(came.toSorted(), ['1.4', '2.1', '2.2', '2.3', '2.4'])
})

it('what a relay queues for an endpoint that ends at that moment is dropped with the rest', async (t) => {
  const { telling, endpointId } = await startDelivering(t)
  const { ctx, sender } = telling
  await telling.relay.stop()
  await telling.tell(newStream())
  const held = 1
  const relay = openRelay(ctx, {
    onSequenced: (block, events) => {
      sender.onSequenced(block, events)
      block.send`select pg_advisory_xact_lock(${held})`
    },
  })
  const waitingForLocks = async () => {
    const waiting = await ctx.db.sql`
      select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
    return waiting.length
  }
  const jobs = () => ctx.db.sql`select from jobs where kind = ${endpointEnded}`
  await ctx.db.atomic(async (db) => {
    await db.sql`select pg_advisory_xact_lock(${held})`
    relay.start()
    await until(async () => (await waitingForLocks()) === 1, 'a relay that has queued and not committed')
    await removeEndpoint(ctx, { id: endpointId }, 'test')
    const isOver = async () => (await jobs()).length === 0 || (await waitingForLocks()) === 2
    await until(isOver, 'the job to be done, or to wait for the relay')
  })
  await until(async () => (await jobs()).length === 0 && relay.idle() && sender.idle(), 'quiet')
  await relay.stop()
  assert.deepEqual(await queueOf(telling), [])
})
