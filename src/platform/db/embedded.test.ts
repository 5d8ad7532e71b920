import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import pg from 'pg'

import { findEmbedded, startEmbedded, throwaway } from './embedded.ts'
import { refuseIfRunning } from './embedded-server.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'))
})
after(() => rm(folder, { recursive: true }))

async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** Another Node that starts the database and says so; it lives until it is killed. */
function otherProcess(dataDir: string) {
  const program = import.meta.url.replace('embedded.test', 'embedded')
  const script = `import { startEmbedded } from ${JSON.stringify(program)}
    startEmbedded({ dataDir: ${JSON.stringify(dataDir)} }).then(
      () => { console.log('up'); setInterval(() => {}, 1000) },
      (error) => { console.log(error.message) })`
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function says(child: ReturnType<typeof otherProcess>): Promise<string> {
  const chunks: unknown[] = await once(child.stdout, 'data')
  return chunks.join('')
}

async function kill(child: ReturnType<typeof otherProcess>): Promise<void> {
  if (child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

test('what was committed is there after a stop and another start', async () => {
  const dataDir = join(folder, 'data')
  const first = await startEmbedded({ dataDir })
  assert.equal(first.firstStart, true)
  await ask(first.url, 'create table notes (note text primary key)')
  await ask(first.url, `insert into notes values ('before the stop')`)
  await Promise.all([first.stop(), first.stop()])
  await first.ended
  assert.equal(await findEmbedded(dataDir), undefined)

  const second = await startEmbedded({ dataDir })
  assert.equal(second.firstStart, false)
  assert.deepEqual(await ask(second.url, 'select note from notes'), [{ note: 'before the stop' }])
  assert.deepEqual(await findEmbedded(dataDir), { url: second.url, pid: second.pid })
  await second.stop()
})

test('a commit is durable and text is Unicode, whatever the machine is set to', async () => {
  const server = await startEmbedded({ dataDir: join(folder, 'data') })
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'server_encoding', 'TimeZone']
  const [found] = await ask(
    server.url,
    `select ${names.map((name) => `current_setting('${name}') as "${name}"`).join()}`,
  )
  const wanted = ['on', 'on', 'on', 'on', 'UTF8', 'UTC']
  assert.deepEqual(found, Object.fromEntries(names.map((name, at) => [name, wanted[at]])))
  assert.deepEqual(await ask(server.url, `select lower('ÄΩ') as lower`), [{ lower: 'äω' }])
  await server.stop()
})

test('what a killed process committed is there at the next start', async () => {
  const dataDir = join(folder, 'data')
  const other = otherProcess(dataDir)
  assert.match(await says(other), /^up/)
  const running = await findEmbedded(dataDir)
  assert.ok(running)
  await ask(running.url, `insert into notes values ('before the kill')`)
  await kill(other)

  const server = await startEmbedded({ dataDir })
  assert.notEqual(server.pid, running.pid)
  assert.deepEqual(await ask(server.url, 'select note from notes order by 1'), [
    { note: 'before the kill' },
    { note: 'before the stop' },
  ])
  await server.stop()
})

test('a second start is refused, and the first continues', async () => {
  const dataDir = join(folder, 'data')
  const server = await startEmbedded({ dataDir })
  const whoRuns = new RegExp(`already running: process ${process.pid} started it, PostgreSQL's pid is ${server.pid}`)
  await assert.rejects(startEmbedded({ dataDir }), whoRuns)
  assert.match(await says(otherProcess(dataDir)), whoRuns)
  assert.deepEqual(await ask(server.url, 'select 1 as one'), [{ one: 1 }])
  await server.stop()
})

test('a server that is being started is not taken for another one, though it has written its pid file', async () => {
  const dataDir = join(folder, 'data')
  const server = await startEmbedded({ dataDir })
  const cluster = join(await realpath(dataDir), 'postgres')
  await refuseIfRunning(cluster, server.pid)
  await assert.rejects(refuseIfRunning(cluster, server.pid + 1), /already running/)
  await server.stop()
})

test('of many that start at once, exactly one runs', async () => {
  const dataDir = join(folder, 'data')
  const others = [1, 2, 3].map(() => otherProcess(dataDir))
  const said = await Promise.all(others.map(says))
  assert.equal(said.filter((line) => line.startsWith('up')).length, 1, said.join())
  assert.equal(said.filter((line) => line.includes('already running')).length, 2, said.join())
  await Promise.all(others.map(kill))
})

test('a pid file whose number belongs to another program now does not keep the database down', async () => {
  const dataDir = join(folder, 'data')
  await (await startEmbedded({ dataDir })).stop()
  const lines = [process.ppid, join(dataDir, 'postgres'), 1, 5432, join(dataDir, 'socket'), '', '1 1', 'ready', '']
  for (const text of [lines.join('\n'), '']) {
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), text)
    assert.equal(await findEmbedded(dataDir), undefined)
    const server = await startEmbedded({ dataDir })
    assert.equal((await ask(server.url, 'select note from notes')).length, 2)
    await server.stop()
  }
})

test('a first start that was killed half-way is begun again', async () => {
  const dataDir = join(folder, 'half-made', 'with a long name, so long that no socket fits below it'.repeat(2))
  const isDraft = (name: string): boolean => name.startsWith('postgres.new-')
  const names = (): Promise<string[]> => readdir(dataDir).catch(() => [])
  const other = otherProcess(dataDir)
  while (!(await names()).some((name) => /^postgres(\.new|$)/.test(name))) await turn()
  await kill(other)
  assert.ok(!(await names()).includes('postgres'))

  const server = await startEmbedded({ dataDir, settings: throwaway })
  assert.equal(server.firstStart, true)
  assert.deepEqual(await ask(server.url, `select current_setting('fsync') as fsync`), [{ fsync: 'off' }])
  assert.deepEqual((await names()).filter(isDraft), [])
  await server.stop()
  await rmdir(new URL(server.url).searchParams.get('host') ?? '')
})

test('values of a failed statement do not reach the log', async () => {
  const dataDir = join(folder, 'data')
  const server = await startEmbedded({ dataDir })
  await ask(server.url, `insert into notes values ('4242424242424242')`)
  await assert.rejects(ask(server.url, `insert into notes values ('4242424242424242')`), { code: '23505' })
  await assert.rejects(ask(server.url, `select '4242424242424242'::date`))
  await server.stop()
  const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
  assert.match(log, /database system is ready/)
  assert.doesNotMatch(log, /4242/)
})
