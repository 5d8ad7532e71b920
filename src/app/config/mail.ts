import { byMode } from './environment.ts'
import { count, duration, optional, setting, url } from '../../platform/lib/setting.ts'

const mailFrom = byMode({ sandbox: 'Cambio <exchange@sandbox.invalid>', live: '' })

/** The mail server. */
export const mailSettings = {
  smtpUrl: optional(
    'SMTP_URL',
    'smtps://user:secret@mail.example.com',
    url('smtp', 'smtps'),
    'The mail server; without one, the sandbox keeps e-mails in its mailbox. Required in live mode.',
  ),
  from: setting('MAIL_FROM', mailFrom, String, 'The sender of all e-mails. Required in live mode.'),
}

/** Codes that prove an e-mail address. */
export const oneTimeCodeSettings = {
  validityMs: setting('ONE_TIME_CODE_VALIDITY', 'PT10M', duration(1_000), 'How long a code sent by e-mail is valid.'),
  attempts: setting(
    'ONE_TIME_CODE_ATTEMPTS',
    '5',
    count(1, 20),
    'The number of wrong guesses after which a code is invalid.',
  ),
}
