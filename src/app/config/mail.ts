import { resolve } from 'node:path'

import { byMode } from './environment.ts'
import { duration, optional, setting, url } from '../../platform/lib/setting.ts'

const mailFrom = byMode({ sandbox: 'Cambio <exchange@sandbox.invalid>', live: '' })

/** Reads a DNS label. */
function selector(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) throw new RangeError('is not a DNS label')
  return text
}

/** The mail server. */
export const mailSettings = {
  smtpUrl: optional(
    'SMTP_URL',
    'smtps://user:secret@mail.example.com',
    url('smtp', 'smtps'),
    'The mail server; without one, the sandbox keeps e-mails in its mailbox. Required in live mode.',
  ),
  caFile: optional(
    'SMTP_CA_FILE',
    '/etc/ssl/certs/mail-ca.pem',
    resolve,
    "The certificate of the authority that signed the mail server's certificate, if it is your own.",
  ),
  dkimKeyFile: optional(
    'DKIM_KEY_FILE',
    '/run/secrets/dkim.pem',
    resolve,
    'The private key that signs e-mails (DKIM), PEM. Without one, e-mails are not signed here.',
  ),
  dkimSelector: setting(
    'DKIM_SELECTOR',
    'cambio',
    selector,
    'The name of the DKIM key: its public half is the DNS record SELECTOR._domainkey.DOMAIN, with the domain of MAIL_FROM.',
  ),
  from: setting('MAIL_FROM', mailFrom, String, 'The sender of all e-mails. Required in live mode.'),
}

/** Codes that prove an e-mail address. */
export const oneTimeCodeSettings = {
  validityMs: setting('ONE_TIME_CODE_VALIDITY', 'PT10M', duration(1_000), 'How long a code sent by e-mail is valid.'),
}
