import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import { type Exchange, startExchange } from '../../test/support/exchange.ts'
import { seedSandbox } from './seed.ts'
import { readSandbox, tellSandbox } from './sandbox-file.ts'

let exchange: Exchange
const played = () => undefined
const dataDir = mkdtempSync(join(tmpdir(), 'cambio-seeds-'))
before(async () => {
  exchange = await startExchange()
})
after(async () => {
  rmSync(dataDir, { recursive: true })
  await exchange.stop()
})

it('the keys of the demo partners outlive a kill before the doors are open, and are published with the address only', async () => {
  const { ctx } = exchange.service.composition
  const made = await seedSandbox(ctx, dataDir, played)
  assert.deepEqual(readdirSync(dataDir), ['sandbox.seeds.json'])

  const again = await seedSandbox(ctx, dataDir, played)
  assert.deepEqual(again, made)
  await tellSandbox(dataDir, { url: 'http://localhost:4000', ...again })
  assert.deepEqual(readdirSync(dataDir), ['sandbox.json'])
  assert.deepEqual(await readSandbox(dataDir), { url: 'http://localhost:4000', ...made })
  assert.equal((await seedSandbox(ctx, dataDir, played)).secret_key, made.secret_key)
})

it('a file that was left by another database gives way, after a kill too', async () => {
  const { ctx } = exchange.service.composition
  const stale = { ...exchange.sandbox, partner_id: '1000000000000000001' }
  await tellSandbox(dataDir, stale)
  const made = await seedSandbox(ctx, dataDir, played)
  assert.notEqual(made.partner_id, stale.partner_id)
  assert.deepEqual(await seedSandbox(ctx, dataDir, played), made)
})
