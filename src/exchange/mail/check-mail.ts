import type { Ctx } from '../context.ts'
import { openMailer, mailError } from './mailer.ts'

/** Where a test e-mail goes; none is sent without. */
export type MailCheckOptions = { mailTo?: string }

type MailCheck = { check: string; state: 'ok' | 'warn' | 'fail'; message: string }

/** Connects to the mail server and logs in, over TLS where it is not on this machine; sends a test e-mail if an address is given. */
export async function checkMail(
  { config, db }: Pick<Ctx, 'config' | 'db'>,
  { mailTo }: MailCheckOptions = {},
): Promise<MailCheck[]> {
  if (config.mail.smtpUrl === undefined) {
    const isDemanded = config.environment.demandsSafeguards
    return [{ check: 'mail', state: isDemanded ? 'fail' : 'warn', message: 'SMTP_URL is not set: no e-mail is sent.' }]
  }
  const mailer = await openMailer(config)
  try {
    await mailer.verify()
    if (mailTo !== undefined) {
      const text = 'The mail server of your exchange works.\n'
      await mailer.sendMail({ from: config.mail.from, to: mailTo, subject: 'A test of your exchange', text })
    }
    const sent = mailTo === undefined ? '' : ' A test e-mail was sent.'
    return [{ check: 'mail', state: 'ok', message: `The mail server accepts us.${sent}` }, await bounced(db)]
  } catch (error) {
    return [{ check: 'mail', state: 'fail', message: `The mail server refuses us: ${mailError(error)}.` }]
  } finally {
    mailer.close()
  }
}

async function bounced(db: Ctx['db']): Promise<MailCheck> {
  const [row] = await db.sql<{ count: number }>`
    select count(*)::integer as count from mail_bounces where at > now() - interval '30 days'`
  return {
    check: 'mail bounces',
    state: 'ok',
    message: `Addresses that bounced in the last 30 days: ${row?.count ?? 0}.`,
  }
}
