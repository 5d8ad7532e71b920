import type { Transporter } from 'nodemailer'

import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { after } from '../../platform/lib/clock.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { detach } from '../../platform/lib/detach.ts'
import {
  type Email,
  emailPlace,
  messageId,
  type OrderEmailWriter,
  type StoredEmail as Stored,
  wholeEmail,
} from './email.ts'
import { markRefused } from './bounces.ts'
import { mailError, openMailer, replyCode } from './mailer.ts'
import { senderOf } from './sender.ts'

type Deps = Pick<Ctx, 'config' | 'db' | 'clock' | 'log' | 'queue' | 'secrets' | 'keyring' | 'halts'>

/** How long connections to the mail server are kept without an email to send, in real milliseconds. */
const keptForMs = 5_000
/** How long e-mails of a restored exchange wait before they are looked at again, in real milliseconds. */
const askAgainMs = 5_000

/**
 * Runs the jobs of kind `mail.due`: sends each email over one of a few connections that are kept while there is work. `write` writes
 * those that are about orders.
 */
export function deliverMails(ctx: Deps, write?: OrderEmailWriter): Handler {
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
      if (ctx.halts.now().restored) {
        const again = { at: after(ctx.clock.realNow(), askAgainMs), timebase: 'real' } as const
        await ctx.queue.revisit(jobs, (_, mine) => Promise.resolve(new Map(mine.map(({ id }) => [id, again]))))
        return
      }
      clearTimeout(closing)
      underWay += 1
      try {
        for (const job of jobs) await deliver(ctx, job, mailer, write)
      } finally {
        underWay -= 1
        if (underWay === 0) closing = setTimeout(() => detach(close()), keptForMs).unref()
      }
    },
  }
}

/**
 * Sends one email and records that in the block that ends its job. If the block fails after the server has accepted the email, it is
 * sent again with the same Message-ID. A permanent refusal (a reply of 5xx) is not retried; one of the address marks it. To a
 * marked address only what its reader has asked for is sent. What was not accepted for a day is given up.
 */
async function deliver(
  ctx: Deps,
  job: Job,
  mailer: () => Promise<Transporter>,
  write: OrderEmailWriter | undefined,
): Promise<void> {
  const row = await findUnsent(ctx.db, BigInt(job.key))
  const email = row && (await openEmail(ctx, row, write))
  const refused = row && email ? await send(ctx, mailer, row, email) : undefined

  await ctx.queue.finish([job], async (db, held) => {
    if (!row || held.length === 0) return
    if (refused) db.send`update mails set refused = ${refused.code} where id = ${row.id}`
    else if (email) db.send`update mails set sent_at = ${ctx.clock.now()} where id = ${row.id}`
    if (refused?.isAddress) markRefused(db, row.toHash, { at: ctx.clock.realNow(), code: refused.code })
  })
}

/** `bounced` is the reply that marked its address, or 550 if an operator reported the bounce; null if the address is not marked. */
type EmailRow = {
  id: bigint
  dataKeyId: bigint
  sealed: Buffer
  toHash: Buffer
  transactionId: bigint | null
  at: Date
  bounced: number | null
}

async function findUnsent(db: Db, id: bigint): Promise<EmailRow | undefined> {
  const [row] = await db.sql<EmailRow>`
    select id, data_key_id as "dataKeyId", letter as sealed, to_hash as "toHash",
      transaction_id as "transactionId", mails.at,
      (select coalesce(code, 550) from mail_bounces where mail_bounces.to_hash = mails.to_hash) as bounced
    from mails where id = ${id} and sent_at is null and refused is null`
  return row
}

/** Undefined if the person has been erased, who must not get emails any more. */
async function openEmail(
  ctx: Deps,
  { id, dataKeyId, sealed, transactionId }: EmailRow,
  write: OrderEmailWriter | undefined,
): Promise<Email | undefined> {
  try {
    const stored = (await ctx.keyring.get(ctx.db, dataKeyId)).open<Stored>(sealed, emailPlace(id))
    return await wholeEmail(stored, transactionId, write)
  } catch (error) {
    if (error instanceof ErasedPerson) return undefined
    throw error
  }
}

/** Why an email will never be delivered: the mail server's reply, and whether that is about the address. */
type Refused = { code: number; isAddress: boolean }

/** How long an email that the mail server does not take is tried, by business time. */
const triedForMs = 86_400_000

/** Undefined when the email was accepted. Throws what may pass. */
async function send(
  ctx: Deps,
  mailer: () => Promise<Transporter>,
  { id, at, bounced }: EmailRow,
  { senderName, isAskedFor, kind, price, ...email }: Email,
): Promise<Refused | undefined> {
  if (bounced !== null && isAskedFor !== true) return { code: bounced, isAddress: false }
  const from = senderOf(ctx.config, senderName)
  try {
    const headers = {
      ...(kind === undefined ? {} : { 'X-Cambio-Kind': kind }),
      ...(price === undefined ? {} : { 'X-Cambio-Price': price }),
    }
    const sent = { from, ...email, headers, messageId: messageId(ctx.secrets, id, ctx.config.mail.from) }
    await (await mailer()).sendMail(sent)
    return undefined
  } catch (error) {
    const code = replyCode(error)
    const isPermanent = isFinal(error)
    const isTooOld = ctx.clock.now().getTime() - at.getTime() > triedForMs
    if (!isPermanent && !isTooOld) throw withoutAddress(error)
    ctx.log.warn(
      { mail: String(id), code },
      isPermanent ? 'The mail server refused an email permanently.' : 'An email was given up after a day.',
    )
    return { code: code || 421, isAddress: isPermanent && isAboutAddress(error) }
  }
}

/** The recipient was refused (550, 551, 553), and not for a policy of the server's (5.7.x). */
const isAboutAddress = (error: unknown): boolean =>
  error instanceof Error &&
  'command' in error &&
  error.command === 'RCPT TO' &&
  [550, 551, 553].includes(replyCode(error)) &&
  !('response' in error && /\b5\.7\.\d/.test(String(error.response)))

/** A reply of 5xx to the recipient or the text. Everything before them (login, TLS, our sender) is about us, and may be mended. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error &&
  'command' in error &&
  ['RCPT TO', 'DATA'].includes(String(error.command)) &&
  replyCode(error) >= 500 &&
  replyCode(error) <= 599

/** Mail servers repeat the address in their replies; job rows and logs must not contain it. */
const withoutAddress = (error: unknown): Error =>
  new Error(`The mail server did not accept the email (${mailError(error)}).`)
