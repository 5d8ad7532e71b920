import type { DataKey } from '../../platform/privacy/data-key.ts'
import { indexHash, type Secrets } from '../../platform/privacy/master-key.ts'

/** What is in a letter. All of it is personal, and stored sealed. */
export type Letter = { to: string; subject: string; text: string; html: string }

/** A letter to be sent, with the key of the person it goes to; `transactionId` is the row of the transaction it is about. */
export type NewMail = Letter & { dataKey: DataKey; transactionId?: bigint | undefined }

/** The job that sends a letter. */
export const mailDue = 'mail.due'

/** Where a sealed letter belongs. */
export const letterPlace = (id: bigint): string => `mails:${id}`

/** The keyed hash by which letters to one address are found; upper and lower case are one address. */
export const addressHash = (secrets: Pick<Secrets, 'index'>, to: string): Buffer =>
  indexHash(secrets, 'mail', to.trim().toLowerCase())

/** A letter's Message-ID: the same at every attempt, so that one that was sent twice can be recognized; it tells nothing. */
export function messageId(secrets: Pick<Secrets, 'index'>, id: bigint, from: string): string {
  const [, host = 'localhost'] = /@([^\s@>]+)>?\s*$/.exec(from) ?? []
  return `<${indexHash(secrets, 'message-id', String(id)).toString('hex').slice(0, 32)}@${host}>`
}
