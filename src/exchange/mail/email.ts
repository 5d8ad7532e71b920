import type { DataKey } from '../../platform/privacy/data-key.ts'
import { indexHash, type Secrets } from '../../platform/privacy/master-key.ts'

/** An email. All of it is personal data, and stored sealed. */
export type Email = {
  to: string
  subject: string
  text: string
  html: string
  /** A partner's name for the sender. */
  senderName?: string
  /** Its reader has just asked for it: it is sent to an address that bounced, too. */
  isAskedFor?: boolean
}

/** An email to send, with the data key of its recipient; `transactionId` is the row of the transaction it is about. */
export type NewEmail = Email & { dataKey: DataKey; transactionId?: bigint | undefined }

/** The job that sends an email. */
export const mailDue = 'mail.due'

/** Where a sealed email belongs. */
export const emailPlace = (id: bigint): string => `mails:${id}`

/** The keyed hash that finds the emails to an address, in any letter case. */
export const addressHash = (secrets: Pick<Secrets, 'index'>, to: string): Buffer =>
  indexHash(secrets, 'mail', to.trim().toLowerCase())

/** An email's Message-ID: the same at every attempt, so that a duplicate is recognized; it reveals nothing. */
export function messageId(secrets: Pick<Secrets, 'index'>, id: bigint, from: string): string {
  return `<${indexHash(secrets, 'message-id', String(id)).toString('hex').slice(0, 32)}@${domainOf(from)}>`
}

/** The domain of a sender, `Exchange <mail@example.com>`. */
export const domainOf = (from: string): string => /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
