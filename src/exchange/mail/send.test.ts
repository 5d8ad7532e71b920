import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { mailServer } from '../../../test/support/mail-server.ts'
import { makePartner, until } from '../../../test/support/telling.ts'
import { makeTransaction } from '../../../test/support/transaction.ts'
import type { Ctx } from '../context.ts'
import { openQueue } from '../../platform/jobs/queue.ts'
import { type DataKey, openKeyring } from '../../platform/privacy/data-key.ts'
import { deliverMails } from './deliver.ts'
import { mailDue } from './email.ts'
import { readMailbox } from './mailbox.ts'
import { sendMail } from './send.ts'

const email = { subject: 'Ihr Code für Cambio', text: 'Der Code: 482915 €\n', html: '<p>Der Code: 482915 €</p>' }

describe('the sandbox’s mailbox', () => {
  it('has what was sent, newest first, found by address in any letter case', async (t) => {
    const ctx = await context(t)
    await send(ctx, 'Jan@Example.com', 'first')
    await send(ctx, 'eva@example.com', 'second')
    await send(ctx, 'jan@example.com', 'third')
    const subjects = async (to?: string, limit?: number) =>
      (await readMailbox(ctx, { to, ...(limit ? { limit } : {}) })).map(({ subject }) => subject)
    assert.deepEqual(await subjects(), ['third', 'second', 'first'])
    assert.deepEqual(await subjects('JAN@example.com'), ['third', 'first'])
    assert.deepEqual(await subjects('nobody@example.com'), [])
    assert.deepEqual(await subjects(undefined, 1), ['third'])
    const [newest] = await readMailbox(ctx)
    assert(newest)
    assert.deepEqual({ ...newest, at: null }, { ...email, subject: 'third', to: 'jan@example.com', at: null })
    assert(newest.at instanceof Date)
  })

  it('shows a partner the emails about its own transactions only', async (t) => {
    const ctx = await context(t)
    const [one, other] = [await makePartner(ctx), await makePartner(ctx)]
    const transaction = await makeTransaction(ctx, one)
    await send(ctx, 'jan@example.com', 'about it', transaction.id)
    await send(ctx, 'jan@example.com', 'about nothing')
    const seenBy = async (partnerId: bigint) => (await readMailbox(ctx, { partnerId })).map(({ subject }) => subject)
    assert.deepEqual(await seenBy(one.id), ['about it'])
    assert.deepEqual(await seenBy(other.id), [])
  })

  it('has no email of a block that was rolled back', async (t) => {
    const ctx = await context(t)
    await assert.rejects(
      ctx.db.atomic(async (db) => {
        const dataKey = await ctx.keyring.make(db)
        await sendMail(ctx, db, { ...email, to: 'jan@example.com', dataKey })
        throw new Error('rolled back')
      }),
    )
    assert.deepEqual(await readMailbox(ctx), [])
  })

  it('leaves no part of an email readable in any table, and none at all once the person is erased', async (t) => {
    const ctx = await context(t)
    const { id } = await send(ctx, 'jan@example.com', email.subject)
    const [row] = await ctx.db.sql<{ text: string }>`select string_agg(mails::text, '') as text from mails`
    for (const text of ['jan@', 'example', '482915', 'Code']) {
      assert(!row?.text.includes(text) && !row?.text.includes(Buffer.from(text).toString('hex')), text)
    }
    await ctx.db.sql`update data_keys set wrapped = null, erased_at = now() where id = ${id}`
    const restarted = { ...ctx, keyring: openKeyring(ctx.secrets, ctx.rowIds) }
    assert.deepEqual(await readMailbox(restarted), [])
  })
})

describe('an email to a mail server', () => {
  it('leaves once, with a Message-ID that stays the same', async (t) => {
    const server = await serverFor(t)
    const ctx = await context(t, { SMTP_URL: server.url, MAIL_FROM: 'Cambio <exchange@cambio.example>' })
    await send(ctx, 'jan@example.com', email.subject)
    await until(async () => (await stateOf(ctx)).sent_at !== null)
    assert.equal(server.mails.length, 1)
    const [taken] = server.mails
    assert.deepEqual(taken?.to, ['<jan@example.com>'])
    assert.match(taken.text, /^From: Cambio <exchange@cambio\.example>\r$/m)
    assert.match(taken.text, /^Message-ID: <[0-9a-f]{32}@cambio\.example>\r$/m)
    assert.match(taken.text, /482915/)
    assert.deepEqual(await ctx.db.sql`select from jobs`, [])
  })

  it('that could not be written down as sent goes again with the same Message-ID', async (t) => {
    const server = await serverFor(t)
    const ctx = await context(t, { SMTP_URL: server.url })
    server.onMail = async () => {
      // Someone else has the job while the server takes the message, and dies.
      await ctx.db.sql`update jobs set fence = fence + 1, lease_until = now() + interval '300 ms'`
      server.onMail = () => Promise.resolve()
    }
    await send(ctx, 'jan@example.com', email.subject)
    await until(() => server.mails.length === 1)
    await until(async () => {
      ctx.queue.wake()
      return (await stateOf(ctx)).sent_at !== null
    })
    assert.equal(server.mails.length, 2)
    const ids = server.mails.map(({ text }) => /^Message-ID: (.+)$/m.exec(text)?.[1])
    assert(ids[0] && ids[0] === ids[1])
  })

  it('that is busy is tried again; one that says never is believed', async (t) => {
    const server = await serverFor(t)
    const ctx = await context(t, { SMTP_URL: server.url })
    server.replies.push('451 come back later')
    await send(ctx, 'jan@example.com', email.subject)
    const jobs = () => ctx.db.sql<{ attempts: number; last_error: string }>`select attempts, last_error from jobs`
    await until(async () => (await jobs())[0]?.attempts === 1)
    assert.match((await jobs())[0]?.last_error ?? '', /reply 451/)
    ctx.clock.learnOffset(5_000)
    ctx.queue.wake()
    await until(async () => (await stateOf(ctx)).sent_at !== null)
    assert.equal(server.mails.length, 1)

    server.replies.push('550 no such mailbox <jan@example.com>')
    await send(ctx, 'jan@example.com', email.subject)
    await until(async () => (await stateOf(ctx)).refused === 550)
    assert.deepEqual(await jobs(), [])
    assert.equal(server.mails.length, 1)
  })
})

/** A context whose queue delivers mails; ends with the test. */
async function context(t: TestContext, settings: Record<string, string> = {}): Promise<Ctx> {
  const database = await testDatabase()
  const base = await testContext(database, settings)
  const { db, clock, log } = base
  const handlers: Parameters<typeof openQueue>[0]['handlers'] = {}
  const ctx = { ...base, queue: openQueue({ db, clock, log, handlers, leaseMs: 10_000, pollMs: 200 }) }
  handlers[mailDue] = deliverMails(ctx)
  ctx.queue.start()
  t.after(async () => {
    await ctx.queue.stop()
    await db.close()
    await database.drop()
  })
  return ctx
}

async function send(ctx: Ctx, to: string, subject: string, transactionId?: bigint): Promise<DataKey> {
  return ctx.db.atomic(async (db) => {
    const dataKey = await ctx.keyring.make(db)
    await sendMail(ctx, db, { ...email, to, subject, dataKey, transactionId })
    return dataKey
  })
}

const stateOf = async (ctx: Ctx): Promise<{ sent_at: Date | null; refused: number | null }> => {
  const [row] = await ctx.db.sql<{ sent_at: Date | null; refused: number | null }>`
    select sent_at, refused from mails order by id desc limit 1`
  return row ?? { sent_at: null, refused: null }
}

/** A mail server that ends with the test. */
async function serverFor(t: TestContext) {
  const server = await mailServer()
  t.after(server.close)
  return server
}
