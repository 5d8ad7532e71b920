import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import type { Ctx } from '../context.ts'
import { email, lastMail, mailContext, mailServerFor, sendTest } from '../../../test/support/mailing.ts'
import { makeSelfSigned } from '../../../test/support/self-signed.ts'
import { makePartner, until } from '../../../test/support/telling.ts'
import { makeTransaction } from '../../../test/support/transaction.ts'
import { openKeyring } from '../../platform/privacy/data-key.ts'
import { readMailbox } from './mailbox.ts'
import { sendMail } from './send.ts'
import { senderOf } from './sender.ts'

describe('the sandbox’s mailbox', () => {
  it('has what was sent, newest first, found by address in any letter case', async (t) => {
    const ctx = await mailContext(t)
    await sendTest(ctx, 'Jan@Example.com', 'first')
    await sendTest(ctx, 'eva@example.com', 'second')
    await sendTest(ctx, 'jan@example.com', 'third')
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
    const ctx = await mailContext(t)
    const [one, other] = [await makePartner(ctx), await makePartner(ctx)]
    const transaction = await makeTransaction(ctx, one)
    await sendTest(ctx, 'jan@example.com', 'about it', transaction.id)
    await sendTest(ctx, 'jan@example.com', 'about nothing')
    const seenBy = async (partnerId: bigint) => (await readMailbox(ctx, { partnerId })).map(({ subject }) => subject)
    assert.deepEqual(await seenBy(one.id), ['about it'])
    assert.deepEqual(await seenBy(other.id), [])
  })

  it('has no email of a block that was rolled back', async (t) => {
    const ctx = await mailContext(t)
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
    const ctx = await mailContext(t)
    const { id } = await sendTest(ctx, 'jan@example.com', email.subject)
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
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url, MAIL_FROM: 'Cambio <exchange@cambio.example>' })
    await sendTest(ctx, 'jan@example.com', email.subject)
    await until(async () => (await lastMail(ctx)).sent_at !== null)
    assert.equal(server.mails.length, 1)
    const [taken] = server.mails
    assert.deepEqual(taken?.to, ['<jan@example.com>'])
    assert.match(taken.text, /^From: Cambio <exchange@cambio\.example>\r$/m)
    assert.match(taken.text, /^Message-ID: <[0-9a-f]{32}@cambio\.example>\r$/m)
    assert.match(taken.text, /482915/)
    assert.deepEqual(await ctx.db.sql`select from jobs`, [])
  })

  it('that could not be written down as sent goes again with the same Message-ID', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url })
    server.onMail = async () => {
      // Someone else has the job while the server takes the message, and dies.
      await ctx.db.sql`update jobs set fence = fence + 1, lease_until = now() + interval '300 ms'`
      server.onMail = () => Promise.resolve()
    }
    await sendTest(ctx, 'jan@example.com', email.subject)
    await until(() => server.mails.length === 1)
    await until(async () => {
      ctx.queue.wake()
      return (await lastMail(ctx)).sent_at !== null
    })
    assert.equal(server.mails.length, 2)
    const ids = server.mails.map(({ text }) => /^Message-ID: (.+)$/m.exec(text)?.[1])
    assert(ids[0] && ids[0] === ids[1])
  })

  it('that is busy is tried again; one that says never is believed', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url })
    server.replies.push('451 come back later')
    await sendTest(ctx, 'jan@example.com', email.subject)
    const jobs = () => ctx.db.sql<{ attempts: number; last_error: string }>`select attempts, last_error from jobs`
    await until(async () => (await jobs())[0]?.attempts === 1)
    assert.match((await jobs())[0]?.last_error ?? '', /reply 451/)
    ctx.clock.learnOffset(5_000)
    ctx.queue.wake()
    await until(async () => (await lastMail(ctx)).sent_at !== null)
    assert.equal(server.mails.length, 1)

    server.replies.push('550 no such mailbox <jan@example.com>')
    await sendTest(ctx, 'jan@example.com', email.subject)
    await until(async () => (await lastMail(ctx)).refused === 550)
    assert.deepEqual(await jobs(), [])
    assert.equal(server.mails.length, 1)
  })
})

describe('a mail server that hangs', () => {
  const jobs = (ctx: Ctx) => ctx.db.sql<{ attempts: number }>`select attempts from jobs`
  for (const where of ['at its greeting', 'at the recipient'] as const)
    it(`${where} is left, and the email is sent later, once`, async (t) => {
      const server = await mailServerFor(t)
      const ctx = await mailContext(t, { SMTP_URL: server.url, OUTSIDE_TIMEOUT: 'PT0.2S' })
      if (where === 'at its greeting') server.silent = 1
      else server.replies.push('')
      await sendTest(ctx, 'jan@example.com', email.subject)
      await until(async () => (await jobs(ctx))[0]?.attempts === 1)
      assert.deepEqual([server.mails, await lastMail(ctx)], [[], { sent_at: null, refused: null }])
      ctx.clock.learnOffset(5_000)
      ctx.queue.wake()
      await until(async () => (await lastMail(ctx)).sent_at !== null)
      assert.deepEqual([server.mails.length, await jobs(ctx)], [1, []])
    })

  it('holds up no email to another connection, and neither does a recipient that is refused', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url, OUTSIDE_TIMEOUT: 'PT30S' })
    server.silent = 1
    await sendTest(ctx, 'hangs@example.com', 'hangs')
    await until(() => server.silent === 0)
    server.replies.push('550 5.1.1 no such user')
    await sendTest(ctx, 'unknown@example.com', 'refused')
    await until(async () => (await lastMail(ctx)).refused === 550)
    await sendTest(ctx, 'jan@example.com', 'first')
    await until(async () => (await lastMail(ctx)).sent_at !== null)
    assert.deepEqual(
      server.mails.map(({ to }) => to),
      [['<jan@example.com>']],
    )
  })
})

describe('the way to the mail server', () => {
  const trusted = makeSelfSigned('localhost')
  const folder = mkdtempSync(join(tmpdir(), 'cambio-mail-'))
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, trusted.cert)
  after(() => rmSync(folder, { recursive: true }))
  const named = (url: string) => url.replace('127.0.0.1', 'localhost')

  it('is TLS, with a certificate that is verified', async (t) => {
    const server = await mailServerFor(t, trusted)
    const ctx = await mailContext(t, { SMTP_URL: named(server.url), SMTP_CA_FILE: caFile })
    await sendTest(ctx, 'jan@example.com', email.subject)
    await until(async () => (await lastMail(ctx)).sent_at !== null)
    assert.equal(server.mails.length, 1)
  })

  for (const [what, tls] of [
    ['whose certificate nobody vouches for', makeSelfSigned('localhost')],
    ['whose certificate is another host’s', makeSelfSigned('mail.example')],
    ['without TLS', undefined],
  ] as const) {
    it(`sends nothing to a server ${what}, and keeps the email`, async (t) => {
      const server = await mailServerFor(t, tls)
      const ctx = await mailContext(t, { SMTP_URL: named(server.url), SMTP_CA_FILE: caFile })
      await sendTest(ctx, 'jan@example.com', email.subject)
      const jobs = () => ctx.db.sql<{ attempts: number }>`select attempts from jobs`
      await until(async () => (await jobs())[0]?.attempts === 1)
      assert.deepEqual([server.mails, await lastMail(ctx)], [[], { sent_at: null, refused: null }])
    })
  }

  it('is kept open for the next emails', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url })
    for (const subject of ['first', 'second', 'third']) {
      await sendTest(ctx, 'jan@example.com', subject)
      await until(async () => (await lastMail(ctx)).sent_at !== null)
    }
    assert.deepEqual([server.mails.length, server.connections], [3, 1])
  })

  it('signs emails with the DKIM key', async (t) => {
    const server = await mailServerFor(t)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const keyFile = join(folder, 'dkim.pem')
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const from = 'Exchange <mail@cambio.example>'
    const ctx = await mailContext(t, {
      SMTP_URL: server.url,
      MAIL_FROM: from,
      DKIM_KEY_FILE: keyFile,
      DKIM_SELECTOR: 's1',
    })
    await sendTest(ctx, 'jan@example.com', email.subject)
    await until(() => Promise.resolve(server.mails.length === 1))
    assert.match(
      server.mails[0]?.text ?? '',
      /^DKIM-Signature: v=1; a=rsa-sha256; [^]*? d=cambio\.example;[^]*? s=s1;/m,
    )
  })
})

it('the sender is the operator, or a partner via the operator at the same address', () => {
  const company = { name: 'Example Ltd', address: '1 Street, City', support: 'help@example.com' }
  const mail = {
    smtpUrl: undefined,
    caFile: undefined,
    dkimKeyFile: undefined,
    dkimSelector: 'x',
    from: 'Exchange <m@x.example>',
  }
  assert.equal(senderOf({ mail, company }, undefined), 'Exchange <m@x.example>')
  assert.deepEqual(senderOf({ mail, company }, 'Shop'), { name: 'Shop via Example Ltd', address: 'm@x.example' })
  assert.deepEqual(senderOf({ mail }, 'Shop'), { name: 'Shop via Exchange', address: 'm@x.example' })
  assert.deepEqual(senderOf({ mail: { ...mail, from: 'm@x.example' } }, 'Shop'), {
    name: 'Shop via x.example',
    address: 'm@x.example',
  })
})
