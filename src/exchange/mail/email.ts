import type { DataKey } from '../../platform/privacy/data-key.ts'
import { type EmailContent, layOut } from './layout.ts'
import { indexHash, type Secrets } from '../../platform/privacy/master-key.ts'

/** What emails to customers are about; programs read it in the header `X-Cambio-Kind`. */
export const emailKinds = [
  'code',
  'order_received',
  'money_received',
  'action_needed',
  'reminder',
  'sent',
  'refunded',
  'expired',
  'new_device',
  'wrong_codes',
] as const
export type EmailKind = (typeof emailKinds)[number]

type Envelope = {
  to: string
  /** Absent for emails to partners. */
  kind?: EmailKind
  /** What is promised of the order's price; programs read it in the header `X-Cambio-Price`. */
  price?: 'fixed' | 'provisional'
  /** A partner's name for the sender. */
  senderName?: string
  /** Its reader has just asked for it: it is sent to an address that bounced, too. */
  isAskedFor?: boolean
}

type Body = { subject: string; text: string; html: string }

/** An email. All of it is personal data. */
export type Email = Envelope & Body

/** An email whose content is known, and which is laid out when it is sent. */
type Draft = Envelope & { subject: string; content: EmailContent }

/** The kinds that are written from the order when they are sent, so that storing them costs little. */
export const orderEmailKinds = ['order_received', 'money_received', 'sent', 'refunded', 'expired'] as const
export type OrderEmailKind = (typeof orderEmailKinds)[number]

/** An email about an order, to be written from the order when it is sent. */
export type OrderEmail = { to: string; kind: OrderEmailKind }

/** Writes an email about an order; undefined if its customer has been erased. */
export type OrderEmailWriter = (email: OrderEmail, transactionId: bigint) => Promise<Email | undefined>

/** What is stored, sealed: an email that is laid out already, a draft, or one that is still to be written. */
export type StoredEmail = Email | Draft | OrderEmail

/** An email to send, with the data key of its recipient; `transactionId` is the row of the transaction it is about. */
export type NewEmail = StoredEmail & { dataKey: DataKey; transactionId?: bigint | undefined }

/** The whole email from what was stored. Undefined if there is nobody left to send it to. */
export async function wholeEmail(
  stored: StoredEmail,
  transactionId: bigint | null,
  write: OrderEmailWriter | undefined,
): Promise<Email | undefined> {
  if (!('subject' in stored)) return transactionId === null ? undefined : write?.(stored, transactionId)
  if (!('content' in stored)) return stored
  const { content, ...envelope } = stored
  return { ...envelope, ...layOut(content) }
}

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
