import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { until } from '../../../test/support/telling.ts'
import { openSilentProxy } from '../../../test/support/silent-proxy.ts'
import { type Embedded, startEmbedded, throwaway } from './embedded.ts'
import { openPool } from './pool.ts'
import { openWitness, type Witness } from './witness.ts'
import { promised } from '../../../test/support/promised.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-hosts-'))
const [oldDir, newDir] = [join(folder, 'old'), join(folder, 'new')]
const settings = { ...throwaway, wal_level: 'replica' }
let older: Embedded
let newer: Embedded

before(async () => {
  const first = await startEmbedded({ dataDir: oldDir, settings })
  await first.stop()
  // A copy that recovers to the end of its log and begins its own timeline, as a standby does that is promoted.
  cpSync(join(oldDir, 'postgres'), join(newDir, 'postgres'), { recursive: true })
  // Some versions of Node give the copy of a folder other permissions, which the server refuses.
  chmodSync(join(newDir, 'postgres'), 0o700)
  writeFileSync(join(newDir, 'postgres', 'recovery.signal'), '')
  older = await startEmbedded({ dataDir: oldDir, settings })
  newer = await startEmbedded({ dataDir: newDir, settings: { ...settings, restore_command: 'false' } })
  await until(async () => (await identity(newer.url)).timeline === 2, 'the copy to be promoted')
})
after(async () => {
  await Promise.all([older.stop(), newer.stop()])
  rmSync(folder, { recursive: true, force: true })
})

type Limits = { connectTimeoutMs?: number; othersMs?: number }
const open = (urls: string[], witness: Witness, limits: Limits = {}) => openPool({ urls, size: 2, witness, ...limits })

/** Which of the two answers. */
async function answering(urls: string[], witness = openWitness(), limits: Limits = {}): Promise<string> {
  const db = open(urls, witness, limits)
  try {
    const [row] = await db.sql<{ file: string }>`select pg_walfile_name(pg_current_wal_lsn()) as file`
    return row?.file.startsWith('00000001') ? 'the old one' : 'the new one'
  } finally {
    await db.close()
  }
}

describe('of several hosts that take writes', () => {
  it('the one that was promoted last is written to, whatever its place in the list', async () => {
    // However late a busy machine lets the other one answer.
    const patient = { othersMs: 60_000 }
    assert.equal(await answering([older.url, newer.url], openWitness(), patient), 'the new one')
    assert.equal(await answering([newer.url, older.url], openWitness(), patient), 'the new one')
  })

  it('an old primary is refused, with an alarm, by a process that has seen the new one', async () => {
    const refused: number[] = []
    const witness = openWitness({ onRefused: ({ timeline }) => refused.push(timeline) })
    assert.equal(await answering([newer.url], witness), 'the new one')
    await assert.rejects(answering([older.url], witness), { code: '25006' })
    assert.deepEqual([refused, witness.refused()], [[1], 1])
  })

  it('one that is seen to be old loses the connections that are open to it', async () => {
    const proxy = await openSilentProxy(newer.url)
    proxy.fallSilent()
    const witness = openWitness()
    const db = open([older.url, proxy.urlOf(newer.url)], witness)
    const timeline = async (): Promise<string | undefined> => {
      const [row] = await db.sql<{ file: string }>`select pg_walfile_name(pg_current_wal_lsn()) as file`
      return row?.file.slice(0, 8)
    }
    assert.equal(await timeline(), '00000001')

    proxy.comeBack()
    witness.admits(await identity(newer.url))
    // A block takes its own connection.
    await db.atomic((block) => block.sql`select 1`)
    assert.equal(await timeline(), '00000002')
    await db.close()
    await proxy.stop()
  })

  it('one that is silent costs no time where another one answers', async () => {
    const proxy = await openSilentProxy(older.url)
    proxy.fallSilent()
    const started = performance.now()
    const slow = { connectTimeoutMs: 120_000 }
    assert.equal(await answering([proxy.urlOf(older.url), newer.url], openWitness(), slow), 'the new one')
    assert.ok(performance.now() - started < promised(4_000))
    await proxy.stop()
  })
})

async function identity(url: string): Promise<{ system: string; timeline: number }> {
  let seen = { system: '', timeline: 0 }
  const db = open([url], openWitness({ onNewer: (host) => (seen = host) }))
  await db.sql`select 1`
  await db.close()
  return seen
}
