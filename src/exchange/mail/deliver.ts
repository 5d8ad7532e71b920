import type { Transporter } from 'nodemailer'

import type { Ctx } from '../context.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { type Letter, letterPlace, messageId } from './mail.ts'
import * as queries from './queries.ts'

/** What delivering letters stands on. */
type Needs = Pick<Ctx, 'config' | 'db' | 'clock' | 'log' | 'queue' | 'secrets' | 'keyring'>

/**
 * Does the jobs of kind `mail.due`: takes letters to the mail server, each over a connection of its own. The program that
 * talks to mail servers is only loaded when the first letter goes to one.
 */
export function deliverMails(ctx: Needs): Handler {
  let opening: Promise<Transporter> | undefined
  const mailer = () => (opening ??= connect(ctx))
  return {
    batch: 1,
    concurrency: 4,
    run: async (jobs) => {
      for (const job of jobs) await deliver(ctx, job, mailer)
    },
  }
}

async function connect({ config }: Needs): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const timeout = config.outsideTimeoutMs
  return createTransport({
    url: config.mail.smtpUrl,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0])
}

/**
 * Sends one letter and writes that down in the block that ends its job. If the block fails after the server has taken the
 * letter it is sent again, with the same Message-ID. A server that says never (a reply of 5xx) is not asked again.
 */
async function deliver(ctx: Needs, job: Job, mailer: () => Promise<Transporter>): Promise<void> {
  const [row] = await queries.unsent(ctx.db, [BigInt(job.key)])
  const letter = row && (await openLetter(ctx, row))
  const refused = row && letter ? await hand(ctx, await mailer(), row.id, letter) : undefined

  await ctx.queue.finish([job], async (db, held) => {
    if (!row || held.length === 0) return
    if (refused !== undefined) queries.markRefused(db, row.id, refused)
    else if (letter) queries.markSent(db, row.id, ctx.clock.now())
  })
}

/** Undefined if the person has been erased since: nobody may be written to any more. */
async function openLetter(
  ctx: Needs,
  row: Pick<queries.MailRow, 'id' | 'dataKeyId' | 'letter'>,
): Promise<Letter | undefined> {
  try {
    return (await ctx.keyring.get(ctx.db, row.dataKeyId)).open<Letter>(row.letter, letterPlace(row.id))
  } catch (error) {
    if (error instanceof ErasedPerson) return undefined
    throw error
  }
}

/** Gives the reply code of a refusal for good; undefined when the letter was taken. Whatever may pass is thrown. */
async function hand(ctx: Needs, mailer: Transporter, id: bigint, letter: Letter): Promise<number | undefined> {
  const { from } = ctx.config.mail
  try {
    await mailer.sendMail({ from, ...letter, messageId: messageId(ctx.secrets, id, from) })
    return undefined
  } catch (error) {
    const code = replyCode(error)
    if (code < 500 || code > 599 || isAboutUs(error)) throw withoutAddress(error)
    ctx.log.warn({ mail: String(id), code }, 'The mail server refused a letter for good.')
    return code
  }
}

const replyCode = (error: unknown): number =>
  error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0

/** A refused log-in is no verdict on the letter: it goes out once the setting is right. */
const isAboutUs = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAUTH'

/** Mail servers repeat the address in what they say; job rows and logs must not. */
const withoutAddress = (error: unknown): Error => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new Error(`The mail server did not take the letter (${code}, reply ${replyCode(error) || 'none'}).`)
}
