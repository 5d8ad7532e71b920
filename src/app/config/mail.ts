import { byMode } from './environment.ts'
import { count, duration, optional, setting, url } from '../../platform/lib/setting.ts'

const mailFrom = byMode({ sandbox: 'Cambio <exchange@sandbox.invalid>', live: '' })

/** The mail server. */
export const mailSettings = {
  smtpUrl: optional(
    'SMTP_URL',
    'smtps://user:secret@mail.example.com',
    url('smtp', 'smtps'),
    'The mail server; the sandbox keeps mails in its mailbox when absent. Live mode needs one.',
  ),
  from: setting('MAIL_FROM', mailFrom, String, 'The sender of all mails. Live mode needs one.'),
}

/** Codes that prove an e-mail address. */
export const oneTimeCodeSettings = {
  validityMs: setting('ONE_TIME_CODE_VALIDITY', 'PT10M', duration(1_000), 'How long a code sent by mail is valid.'),
  attempts: setting('ONE_TIME_CODE_ATTEMPTS', '5', count(1, 20), 'Wrong guesses after which a code is dead.'),
}
