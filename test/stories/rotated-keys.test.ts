import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { runCommand } from '../support/command.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, buy, create, lookup, read } from '../support/journey.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-rotated-'))
const [oldFile, newFile] = [join(folder, 'master.key'), join(folder, 'next.key')]
let database: TestDatabase
let exchange: Exchange

const settings = (file: string) => ({
  DATABASE_URL: database.ownerUrl,
  DATA_DIR: folder,
  MASTER_KEY_FILE: file,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'error',
})
const run = (file: string, ...args: string[]) => runCommand([...args, '--json'], settings(file))

before(async () => {
  database = await testDatabase()
  exchange = await startExchange(settings(oldFile))
})
after(async () => {
  await exchange.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('a rotated widget secret', () => {
  const open = async (query: string): Promise<number> => (await fetch(`${exchange.url}/calculator/v2?${query}`)).status
  const signed = async (query: string): Promise<string> => {
    const partner = exchange.sandbox.partner_id
    const { out } = await run(oldFile, 'widget', 'sign', query, '--partner', partner)
    return `${query}&partner_id=${partner}&signature=${(JSON.parse(out) as { signature: string }).signature}`
  }

  it('and the one before it sign until the overlap ends', async () => {
    const before = await signed('locale=en')
    const rotate = (...args: string[]) =>
      run(oldFile, 'key', 'rotate-widget', '--partner', exchange.sandbox.partner_id, ...args)
    assert.equal((await rotate()).exitCode, 0)
    const now = await signed('locale=en')
    assert.notEqual(now, before)
    assert.deepEqual([await open(before), await open(now)], [200, 200])
    await rotate('--overlap', 'PT0S')
    assert.deepEqual([await open(now), await open(await signed('locale=en'))], [401, 200])
  })
})

describe('a rotated master key', () => {
  type Rotated = { re_encrypted: Record<string, number>; ended: boolean }
  const made: string[] = []
  let bought: TransactionRecord

  it('encrypts everything again under load, without an error', async () => {
    bought = await buy(exchange)
    let isRotating = true
    const load = Array.from({ length: 4 }, async () => {
      while (isRotating) {
        const { id } = await create(exchange)
        assert.equal((await read(exchange, id)).id, id)
        made.push(id)
      }
    })
    const rotated = await run(oldFile, 'key', 'rotate-master', '--new-file', newFile)
    isRotating = false
    await Promise.all(load)
    assert.equal(rotated.exitCode, 0, rotated.err)
    const { re_encrypted: counts, ended } = JSON.parse(rotated.out) as Rotated
    assert.ok((counts['data_keys.wrapped'] ?? 0) > 0, rotated.out)
    assert.equal(ended, false)
    const old = await lookup(
      { ...exchange, ownerUrl: database.ownerUrl },
      'select 1 from data_keys where length(wrapped) = 60 limit 1',
    )
    assert.deepEqual(old, [], 'the service seals with the new key before it has the new file')
  })

  it('opens the exchange with either file until the rotation is ended, and then with the new one alone', async () => {
    await exchange.stop()
    exchange = await startExchange(settings(oldFile))
    assert.equal((await read(exchange, bought.id)).status, 'finished')
    await exchange.stop()

    exchange = await startExchange(settings(newFile))
    for (const id of made.slice(-3)) assert.equal((await read(exchange, id)).id, id)
    await buy(exchange)
    await assertBooksHold(exchange)
    const again = await run(newFile, 'key', 'rotate-master', '--new-file', newFile)
    assert.equal((JSON.parse(again.out) as Rotated).ended, true, again.err)

    const refused = await run(oldFile, 'verify')
    assert.match(refused.err, /another master key/)
    assert.equal((await run(newFile, 'verify')).exitCode, 0)
  })

  it('is rotated again, from the newest key on', async () => {
    const third = join(folder, 'third.key')
    assert.equal((await run(newFile, 'key', 'rotate-master', '--new-file', third)).exitCode, 0)
    await exchange.stop()
    exchange = await startExchange(settings(third))
    assert.equal((await read(exchange, bought.id)).status, 'finished')
    await assertBooksHold(exchange)
    const back = await run(third, 'key', 'rotate-master', '--new-file', oldFile)
    assert.match(back.err, /another rotation|used before/i)
  })
})

describe('a rotated key of the ledger', () => {
  const third = join(folder, 'third.key')

  it('proves every entry again under load, and the old key proves nothing afterwards', async () => {
    const [rotated] = await Promise.all([run(third, 'key', 'rotate-ledger'), buy(exchange), buy(exchange)])
    assert.equal(rotated.exitCode, 0, rotated.err)
    assert.ok((JSON.parse(rotated.out) as { entries: number }).entries > 0)
    await buy(exchange)
    await assertBooksHold(exchange)
    assert.equal((await run(third, 'verify')).exitCode, 0)

    const ours = { ...exchange, ownerUrl: database.ownerUrl }
    await lookup(ours, 'delete from entry_digests where entry_id = (select min(entry_id) from entry_digests)')
    assert.match((await run(third, 'verify')).out, /was changed after it was booked/)
    assert.match((await run(third, 'key', 'rotate-ledger')).err, /Run: cambio verify/)
  })
})
