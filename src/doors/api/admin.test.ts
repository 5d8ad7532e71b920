import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import type { Ctx } from '../../exchange/context.ts'
import { buildAdmin } from './admin.ts'

let database: TestDatabase
let ctx: Ctx

before(async () => {
  database = await testDatabase()
  ctx = await testContext(database)
})
after(() => ctx.db.close())

describe('the operator’s port', () => {
  it('says that the process lives, that it is ready, and what it counts', async () => {
    const gauges = [
      { name: 'jobs_due', help: 'Jobs that are due.', read: () => [{ labels: [], value: 7 }] },
      { name: 'stuck', help: 'Stuck.', labels: ['what'], read: () => [{ labels: ['job'], value: 2 }] },
      { name: 'broken', help: 'Cannot be read.', read: () => Promise.reject(new Error('gone')) },
    ]
    const app = buildAdmin(ctx, { gauges })
    assert.equal((await app.inject('/healthz')).statusCode, 200)
    assert.equal((await app.inject('/readyz')).statusCode, 200)
    const metrics = await app.inject('/metrics')
    assert.match(String(metrics.headers['content-type']), /^text\/plain; version=0\.0\.4/)
    assert.match(metrics.payload, /^cambio_jobs_due 7$/m)
    assert.match(metrics.payload, /^cambio_stuck\{what="job"\} 2$/m)
    assert.doesNotMatch(metrics.payload, /^cambio_broken /m)
    assert.match(metrics.payload, /^cambio_readings_failed 1$/m)
    assert.match(metrics.payload, /^process_resident_memory_bytes /m)
    await app.close()
  })

  it('503: is not ready without its database, and lives all the same', async () => {
    const app = buildAdmin({ ...ctx, db: { ...ctx.db, sql: () => Promise.reject(new Error('gone')) } })
    assert.equal((await app.inject('/readyz')).statusCode, 503)
    assert.equal((await app.inject('/healthz')).statusCode, 200)
    await app.close()
  })
})
