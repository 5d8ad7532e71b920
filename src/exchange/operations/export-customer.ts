import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { customerRecord } from '../customers/customer-record.ts'
import { explainCustomer } from '../customers/explain-customer.ts'
import { readEvenErased } from '../transactions/load.ts'
import { anyRecordOf } from '../transactions/record.ts'
import * as queries from './customers.sql.ts'

/**
 * Everything that is kept of the owner of an e-mail address, for the person: what each partner passed, verifications, consents, and
 * all orders with what is personal of them. Audited. Refuses an unknown customer and one who was erased.
 */
export async function exportCustomer(ctx: Ctx, id: bigint, { reason, actor }: { reason: string; actor: string }) {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  const person = await queries.samePerson(ctx.db, id)
  const known = await Promise.all((person?.ids ?? []).map((one) => explainCustomer(ctx, one)))
  const customers = known.filter((one) => one !== undefined)
  if (!person || customers.length === 0) throw new Refusal('NOT_FOUND', 'There is no such customer.')
  const orders = await queries.ordersOfPerson(ctx.db, person)
  const consents = await queries.consentsOf(ctx.db, person)
  const at = ctx.clock.now()
  const exported = {
    exported_at: at.toISOString(),
    customers: customers.map(({ profile, decisions }) => ({
      ...customerRecord(profile),
      partner_id: String(profile.partnerId),
      email: profile.email,
      email_proven: profile.isProven,
      verifications: profile.imports.map(
        ({ provider, status, level, person: known, verifiedAt, expiresAt, changedAt }) => ({
          provider,
          status,
          level,
          person: known,
          verified_at: verifiedAt?.toISOString() ?? null,
          expires_at: expiresAt?.toISOString() ?? null,
          changed_at: changedAt.toISOString(),
        }),
      ),
      blocked: decisions.at(-1)?.isBlocked ?? false,
    })),
    consents: consents.map((one) => ({
      order_id: String(one.publicId),
      terms: one.terms,
      privacy: one.privacy,
      accepted_at: one.at.toISOString(),
    })),
    orders: [] as object[],
  }
  for (const { publicId } of orders) {
    const transaction = await readEvenErased(ctx, ctx.db, publicId)
    if (!transaction || transaction.isErased) continue
    const { personal } = transaction
    exported.orders.push({ ...withoutSecrets(anyRecordOf(ctx, transaction)), personal: withoutSecrets(personal) })
  }
  await ctx.db.atomic((db) => {
    const after = { reason: reason.trim(), orders: orders.length }
    recordAudit(db, { at, actor, action: 'customer.exported', subject: `customer:${id}`, before: null, after })
    return Promise.resolve()
  })
  return exported
}

const secrets: ReadonlySet<string> = new Set(['redirect_url', 'receipt_url', 'sharedToken'])

/** Without what opens more than it says: links to the checkout and the receipt, and a token for an identity provider. */
const withoutSecrets = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !secrets.has(name)))
