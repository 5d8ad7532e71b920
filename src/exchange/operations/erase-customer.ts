import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { auditOf, recordAudit } from '../audit/audit.ts'
import { raiseVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import * as queries from './customers.sql.ts'

/** What was erased of a person, and what was not. It names nobody. */
export type ErasureCertificate = {
  /** What partners knew the person as. */
  customers: readonly string[]
  erasedAt: string
  /** `operator:7`. */
  by: string
  reason: string
  /** How many keys were destroyed: each made one order's or one partner's data about the person unreadable. */
  keys: number
  orders: number
}

/** Sentences about what stays after an erasure, and why. */
export const keptAfterErasure: readonly string[] = [
  'The amounts, assets, dates and bookings of the orders stay: accounting law asks for them. They name nobody.',
  'Hashes by a secret key of the bank accounts, cards, documents and the e-mail address stay: without them, limits and blocks could be evaded.',
  'Statements that banks have sent stay, encrypted: accounting law asks for them.',
  'Backups contain the data until they are deleted. After one is restored, the person has to be erased again.',
  'Identity providers, banks and card processors keep their own records.',
]

const action = 'customer.erased'

/**
 * Destroys the keys of everything personal that is kept of the owner of an e-mail address, for every partner: records, events, answers,
 * e-mails and notes can be read nowhere any more, and the books stay. In other processes within two seconds. Refuses an unknown
 * customer (NOT_FOUND), one who was erased before, and one with orders that have not ended (CONFLICT).
 */
export async function eraseCustomer(
  ctx: Ctx,
  id: bigint,
  { reason, actor }: { reason: string; actor: string },
): Promise<ErasureCertificate> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  if (await erasureOf(ctx, id)) throw new Refusal('CONFLICT', 'This customer was erased before.')
  const certificate = await ctx.db.atomic(async (db) => {
    const known = await queries.samePerson(db, id)
    if (!known) throw new Refusal('NOT_FOUND', 'There is no such customer.')
    queries.lockPerson(db, known)
    const person = (await queries.samePerson(db, id)) ?? known
    const orders = await queries.ordersOfPerson(db, person)
    const open = orders.filter(({ isOpen }) => isOpen).map(({ publicId }) => publicId)
    if (open.length > 0) {
      const named = open.slice(0, 5).join(', ')
      throw new Refusal('CONFLICT', `${open.length} of this customer’s orders have not ended: ${named}.`)
    }
    const at = ctx.clock.now()
    const keys = await queries.eraseKeys(db, person, at)
    queries.forgetPerson(db, person)
    const made: ErasureCertificate = {
      customers: person.ids.map(String),
      erasedAt: at.toISOString(),
      by: actor,
      reason: reason.trim(),
      keys,
      orders: orders.length,
    }
    for (const one of person.ids) {
      recordAudit(db, { at, actor, action, subject: `customer:${one}`, before: null, after: made })
    }
    raiseVersion(db)
    return made
  })
  ctx.keyring.forget()
  return certificate
}

/** The certificate of a customer who was erased; undefined for all others. */
export async function erasureOf({ db }: Pick<Ctx, 'db'>, id: bigint): Promise<ErasureCertificate | undefined> {
  const entries = await auditOf(db, `customer:${id}`)
  return entries.find((one) => one.action === action)?.after as ErasureCertificate | undefined
}
