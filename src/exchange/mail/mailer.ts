import { readFile } from 'node:fs/promises'

import type { Transporter } from 'nodemailer'

import { isThisMachine } from '../../platform/lib/this-machine.ts'
import type { Settings } from '../settings.ts'
import { domainOf } from './email.ts'

/**
 * Opens the way to the mail server: TLS with a verified certificate (smtps from the start, smtp by STARTTLS), which only a server on
 * this machine may lack, unless SMTP_CA_FILE is set; a few connections that are kept; DKIM signatures if there is a key. The mail library is loaded here.
 */
export async function openMailer({
  mail,
  outsideTimeoutMs: timeout,
}: Pick<Settings, 'mail' | 'outsideTimeoutMs'>): Promise<Transporter> {
  if (mail.smtpUrl === undefined) throw new Error('There is no mail server.')
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password } = new URL(mail.smtpUrl)
  const secure = protocol === 'smtps:'
  const isVerified = !isThisMachine(hostname) || mail.caFile !== undefined
  const dkim = mail.dkimKeyFile === undefined ? {} : { dkim: await dkimOf(mail, mail.dkimKeyFile) }
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number.parseInt(port, 10),
    secure,
    requireTLS: isVerified,
    tls: {
      rejectUnauthorized: isVerified,
      minVersion: 'TLSv1.2',
      ...(mail.caFile === undefined ? {} : { ca: await readFile(mail.caFile, 'utf8') }),
    },
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    pool: true,
    maxConnections: 4,
    maxMessages: 100,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...dkim,
  } as Parameters<typeof createTransport>[0])
}

const dkimOf = async ({ dkimSelector, from }: Settings['mail'], file: string) => ({
  domainName: domainOf(from),
  keySelector: dkimSelector,
  privateKey: await readFile(file, 'utf8'),
})

/** What went wrong, without the address and the texts that mail servers repeat in their replies. */
export function mailError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return `${code}, reply ${replyCode(error) || 'none'}`
}

export const replyCode = (error: unknown): number =>
  error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : 0
