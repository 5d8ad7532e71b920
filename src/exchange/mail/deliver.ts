import type { Transporter } from 'nodemailer'

import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { detach } from '../../platform/lib/detach.ts'
import { type Email, emailPlace, messageId } from './email.ts'
import { mailError, openMailer, replyCode } from './mailer.ts'

type Deps = Pick<Ctx, 'config' | 'db' | 'clock' | 'log' | 'queue' | 'secrets' | 'keyring'>

/** How long connections to the mail server are kept without an email to send, in real milliseconds. */
const keptForMs = 5_000

/** Runs the jobs of kind `mail.due`: sends each email over one of a few connections that are kept while there is work. */
export function deliverMails(ctx: Deps): Handler {
  let opening: Promise<Transporter> | undefined
  let closing: NodeJS.Timeout | undefined
  let underWay = 0
  const mailer = () =>
    (opening ??= openMailer(ctx.config).catch((error: unknown) => {
      opening = undefined
      throw error
    }))
  async function close(): Promise<void> {
    const opened = opening
    opening = undefined
    ;(await opened)?.close()
  }
  return {
    batch: 1,
    concurrency: 4,
    run: async (jobs) => {
      clearTimeout(closing)
      underWay += 1
      try {
        for (const job of jobs) await deliver(ctx, job, mailer)
      } finally {
        underWay -= 1
        if (underWay === 0) closing = setTimeout(() => detach(close()), keptForMs).unref()
      }
    },
  }
}

/**
 * Sends one email and records that in the block that ends its job. If the block fails after the server has accepted the email, it is
 * sent again with the same Message-ID. A permanent refusal (a reply of 5xx) is not retried.
 */
async function deliver(ctx: Deps, job: Job, mailer: () => Promise<Transporter>): Promise<void> {
  const row = await findUnsent(ctx.db, BigInt(job.key))
  const email = row && (await openEmail(ctx, row))
  const refused = row && email ? await send(ctx, await mailer(), row.id, email) : undefined

  await ctx.queue.finish([job], async (db, held) => {
    if (!row || held.length === 0) return
    if (refused !== undefined) db.send`update mails set refused = ${refused} where id = ${row.id}`
    else if (email) db.send`update mails set sent_at = ${ctx.clock.now()} where id = ${row.id}`
  })
}

type StoredEmail = { id: bigint; dataKeyId: bigint; sealed: Buffer }

async function findUnsent(db: Db, id: bigint): Promise<StoredEmail | undefined> {
  const [row] = await db.sql<StoredEmail>`
    select id, data_key_id as "dataKeyId", letter as sealed from mails where id = ${id} and sent_at is null and refused is null`
  return row
}

/** Undefined if the person has been erased, who must not get emails any more. */
async function openEmail(ctx: Deps, { id, dataKeyId, sealed }: StoredEmail): Promise<Email | undefined> {
  try {
    return (await ctx.keyring.get(ctx.db, dataKeyId)).open<Email>(sealed, emailPlace(id))
  } catch (error) {
    if (error instanceof ErasedPerson) return undefined
    throw error
  }
}

/** Returns the reply code of a permanent refusal; undefined when the email was accepted. Throws what may pass. */
async function send(ctx: Deps, mailer: Transporter, id: bigint, email: Email): Promise<number | undefined> {
  const { from } = ctx.config.mail
  try {
    await mailer.sendMail({ from, ...email, messageId: messageId(ctx.secrets, id, from) })
    return undefined
  } catch (error) {
    const code = replyCode(error)
    if (code < 500 || code > 599 || isAboutUs(error)) throw withoutAddress(error)
    ctx.log.warn({ mail: String(id), code }, 'The mail server refused an email permanently.')
    return code
  }
}

/** A failed login says nothing about the email: it is sent once the setting is right. */
const isAboutUs = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAUTH'

const withoutAddress = (error: unknown): Error =>
  new Error(`The mail server did not accept the email (${mailError(error)}).`)
