import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { lastMail, mailContext, mailServerFor, sendTest } from '../../../test/support/mailing.ts'
import { until } from '../../../test/support/telling.ts'
import type { Ctx } from '../context.ts'
import { reportBounce } from '../operations/bounces.ts'
import { clearBounce, findBounce } from './bounces.ts'

describe('an address that emails do not reach', () => {
  const refusedBy = async (ctx: Ctx) => (await findBounce(ctx, 'Jan@Example.com'))?.code
  const sent = (ctx: Ctx) => until(async () => (await lastMail(ctx)).sent_at !== null)

  it('gets nothing but what its owner asks for, until a code that was sent there is entered', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url })
    server.replies.push('550 5.1.1 no such user')
    await sendTest(ctx, 'jan@example.com', 'first')
    await until(async () => (await lastMail(ctx)).refused === 550)
    assert.equal(await refusedBy(ctx), 550)
    await sendTest(ctx, 'jan@example.com', 'second')
    await until(async () => (await lastMail(ctx)).refused === 550)
    assert.equal(server.mails.length, 0)
    await sendTest(ctx, 'jan@example.com', 'a code', undefined, { isAskedFor: true })
    await sent(ctx)
    await ctx.db.atomic(async (db) => clearBounce(ctx, db, 'jan@example.com'))
    await sendTest(ctx, 'jan@example.com', 'third')
    await sent(ctx)
    assert.equal(server.mails.length, 2)
  })

  it('is not marked for what passes, for a policy of the server’s, or for the content', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url })
    server.replies.push('550 5.7.1 blocked by policy')
    await sendTest(ctx, 'jan@example.com', 'first')
    await until(async () => (await lastMail(ctx)).refused === 550)
    assert.equal(await refusedBy(ctx), undefined)
    server.replies.push('552 mailbox full')
    await sendTest(ctx, 'jan@example.com', 'second')
    await until(async () => (await lastMail(ctx)).refused === 552)
    assert.equal(await refusedBy(ctx), undefined)
  })

  it('is marked by an operator when a bounce arrives later, and works again when they say so', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url })
    const by = { reason: 'a bounce of today', actor: 'test' }
    await reportBounce(ctx, 'jan@example.com', { ...by, clear: false })
    await sendTest(ctx, 'JAN@example.com', 'first')
    await until(async () => (await lastMail(ctx)).refused === 550)
    await reportBounce(ctx, 'jan@example.com', { ...by, clear: true })
    await assert.rejects(reportBounce(ctx, 'jan@example.com', { ...by, clear: true }), /not marked/)
    await sendTest(ctx, 'jan@example.com', 'second')
    await sent(ctx)
    const [audit] = await ctx.db.sql<{ text: string }>`select string_agg(audit::text, '') as text from audit`
    assert.doesNotMatch(audit?.text ?? '', /jan@/i)
  })

  it('is given up after a day of greylisting', async (t) => {
    const server = await mailServerFor(t)
    const ctx = await mailContext(t, { SMTP_URL: server.url })
    server.replies.push('451 4.7.1 greylisted', '451 4.7.1 greylisted')
    await sendTest(ctx, 'jan@example.com', 'first')
    const jobs = () => ctx.db.sql<{ attempts: number }>`select attempts from jobs`
    await until(async () => (await jobs())[0]?.attempts === 1)
    ctx.clock.learnOffset(86_400_000 + 5_000)
    ctx.queue.wake()
    await until(async () => (await lastMail(ctx)).refused === 451)
    assert.deepEqual([await jobs(), await refusedBy(ctx)], [[], undefined])
  })
})
