import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'

import { until } from '../../../test/support/telling.ts'
import { type Keyring, openKeyring } from '../../platform/privacy/data-key.ts'
import { newKey, seal, wrapKey } from '../../platform/privacy/seal.ts'
import { bodyOf, bodyPlace } from './event.ts'
import type { SealedEvent } from './open-body.ts'
import { openOpener, worthwhile } from './open-many.ts'
import { packBody } from './pack-body.ts'
import type { ThreadOptions } from './thread.ts'

const wrapping = newKey()
const many = worthwhile * 3
const at = new Date('2026-03-01T10:00:00Z')

function sealedEvent(sequence: number): SealedEvent {
  const key = newKey()
  const named = { stream: 7n, sequence, at, type: 'transaction.created' as const }
  const body = seal(key, packBody(bodyOf(named, { status: `s${sequence}` })), bodyPlace(named))
  return { ...named, dataKeyId: BigInt(sequence), wrappedKey: wrapKey(wrapping, key), body }
}

const events = Array.from({ length: many }, (_, index) => sealedEvent(index + 1))
const texts = events.map((event) => bodyOf(event, { status: `s${event.sequence}` }))
const erased = events.map((event): SealedEvent => ({ ...event, wrappedKey: null }))

const keyring = openKeyring({ wrapping }, { next: () => assert.fail('no key is made') })
/** Shows that it was the thread, which has no keyring, that opened something. */
const noKeyring: Keyring = { ...keyring, unwrap: () => assert.fail('opened here') }

function opening(ring: Keyring, wrapper: unknown = wrapping, options: ThreadOptions = {}) {
  const said: string[] = []
  const say = (_: object, text: string) => void said.push(text)
  const opener = openOpener(
    {
      keyring: ring,
      secrets: { wrapping: wrapper } as Parameters<typeof openOpener>[0]['secrets'],
      log: { error: say, warn: say } as unknown as Parameters<typeof openOpener>[0]['log'],
    },
    options,
  )
  return {
    opener,
    said,
    open: async (some: SealedEvent[]) => (await opener.open(some)).map((body) => body?.toString()),
  }
}

const failed = 'The thread that opens events failed; opening them in the main thread.'

/** A file that a thread may run, and that can be rewritten; removed with the test. */
function threadFile(t: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'thread-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'thread.mjs')
  const write = (next: string) => writeFileSync(path, next)
  write(text)
  return { file: pathToFileURL(path), write }
}

describe('events that are opened by the hundred', () => {
  it('come from a thread as they were written, in their order', async (t) => {
    const { open, opener, said } = opening(noKeyring)
    t.after(opener.stop)
    assert.deepEqual(await Promise.all([open(events), open(events.toReversed())]), [texts, texts.toReversed()])
    assert.deepEqual(said, [])
  })

  it('do not affect one another where one cannot be opened; for an erased person only the id is left', async (t) => {
    const { open, opener, said } = opening(keyring)
    t.after(opener.stop)
    const broken = events.map((event, index) => {
      if (index === 3) return { ...event, sequence: 4_000 }
      return index === 5 ? { ...event, wrappedKey: null } : event
    })
    const expected: (string | undefined)[] = [...texts]
    expected[3] = undefined
    expected[5] = bodyOf(events[5] ?? assert.fail())
    assert.deepEqual(await open(broken), expected)
    assert.equal(said.length, 1)
    assert.deepEqual(
      await open(erased),
      erased.map((event) => bodyOf(event)),
    )
  })

  it('are opened here where there are few', async (t) => {
    const { open, opener, said } = opening(noKeyring)
    t.after(opener.stop)
    const few = events.slice(0, worthwhile - 1)
    assert.ok((await open(few)).every((body) => body === undefined))
    assert.deepEqual(new Set(said), new Set(['Failed to open an event for delivery.']))
  })

  it('are opened here where the thread fails, and after the end', async (t) => {
    const { open, opener, said } = opening(keyring, () => 'not a thread file')
    t.after(opener.stop)
    assert.deepEqual(await open(events), texts)
    assert.deepEqual(said, [failed])
    await opener.stop()
    assert.deepEqual(await open(events), texts)
    assert.equal(said.length, 1, 'no thread was asked')
  })

  it('are opened here where the end comes meanwhile', async () => {
    const { open, opener, said } = opening(keyring)
    const opened = open(events)
    await opener.stop()
    assert.deepEqual([await opened, said], [texts, []])
  })

  it('are opened here where the thread dies as it starts, which harms nobody else, and by a later one', async (t) => {
    const { file, write } = threadFile(t, `throw new Error('no such machine')`)
    const { open, opener, said } = opening(keyring, wrapping, { file, restMs: 5_000 })
    t.after(opener.stop)
    assert.deepEqual(await Promise.all([open(events), open(events)]), [texts, texts])
    assert.deepEqual(await open(events), texts)
    assert.deepEqual(said, [failed], 'one thread was started, for all of them')

    write(
      `export const openBatch = ({ places }) => ({ bytes: new Uint8Array(places.length).fill(120), ends: places.map((_, at) => at + 1) })`,
    )
    await until(async () => (await open(events))[0] === 'x', 'that a thread is asked again')
    assert.deepEqual(said, [failed])
  })

  it('are opened here where the thread dies over them, those too that wait behind', async (t) => {
    for (const death of [`void Promise.reject(new Error('broken')) ?? new Promise(() => {})`, 'process.exit(1)']) {
      const { file } = threadFile(t, `export const openBatch = () => ${death}`)
      const { open, opener, said } = opening(keyring, wrapping, { file, answerMs: 600 })
      t.after(opener.stop)
      assert.deepEqual(await Promise.all([open(events), open(events), open(events)]), [texts, texts, texts])
      assert.deepEqual(said, [failed], death)
    }
  })

  it('are opened here where the thread says nothing, and nobody waits for it at the end', async (t) => {
    for (const text of ['export const openBatch = () => new Promise(() => {})', 'for (;;);']) {
      const { file } = threadFile(t, text)
      const { open, opener, said } = opening(keyring, wrapping, { file, answerMs: 300 })
      assert.deepEqual(await Promise.all([open(events), open(events)]), [texts, texts])
      assert.deepEqual(said, [failed], text)
      await opener.stop()

      const patient = opening(keyring, wrapping, { file, answerMs: 600_000 })
      const opened = patient.open(events)
      await patient.opener.stop()
      assert.deepEqual([await opened, patient.said], [texts, []], text)
    }
  })
})
