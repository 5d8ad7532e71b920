import type { TestContext } from 'node:test'

import type { Ctx } from '../../src/exchange/context.ts'
import { deliverMails } from '../../src/exchange/mail/deliver.ts'
import { mailDue } from '../../src/exchange/mail/email.ts'
import { sendMail } from '../../src/exchange/mail/send.ts'
import { openQueue } from '../../src/platform/jobs/queue.ts'
import type { DataKey } from '../../src/platform/privacy/data-key.ts'
import { testContext } from './api.ts'
import { testDatabase } from './database.ts'
import { mailServer } from './mail-server.ts'
import type { SelfSigned } from './self-signed.ts'

/** The text of every test e-mail. */
export const email = { subject: 'Ihr Code für Cambio', text: 'Der Code: 482915 €\n', html: '<p>Der Code: 482915 €</p>' }

/** A context whose queue delivers mails; ends with the test. */
export async function mailContext(t: TestContext, settings: Record<string, string> = {}): Promise<Ctx> {
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

export async function sendTest(
  ctx: Ctx,
  to: string,
  subject: string,
  transactionId?: bigint,
  more: { isAskedFor?: boolean } = {},
): Promise<DataKey> {
  return ctx.db.atomic(async (db) => {
    const dataKey = await ctx.keyring.make(db)
    await sendMail(ctx, db, { ...email, ...more, to, subject, dataKey, transactionId })
    return dataKey
  })
}

export const lastMail = async (ctx: Ctx): Promise<{ sent_at: Date | null; refused: number | null }> => {
  const [row] = await ctx.db.sql<{ sent_at: Date | null; refused: number | null }>`
    select sent_at, refused from mails order by id desc limit 1`
  return row ?? { sent_at: null, refused: null }
}

/** A mail server that ends with the test. */
export async function mailServerFor(t: TestContext, tls?: SelfSigned) {
  const server = await mailServer(tls)
  t.after(server.close)
  return server
}
