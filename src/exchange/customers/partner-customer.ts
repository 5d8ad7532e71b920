import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { emailHash } from './email.ts'
import { partnerCustomerPlace, type Person } from './person.ts'
import * as queries from './customers.sql.ts'

/** What one partner knows of one e-mail address. `id` is the `customer_id` that this partner sees. */
export type PartnerCustomer = {
  id: bigint
  /** The key of what is kept of this person for this partner. */
  dataKeyId: bigint
  /** The customer whose proven address it is; null until it was proven for a transaction of this partner. */
  customerId: bigint | null
}

/** An e-mail address that a partner passed. */
export type PassedEmail = { partnerId: bigint; email: string }

/**
 * Finds or makes what each partner knows of an e-mail address, in the order asked. However many are asked, it costs one
 * round trip when all are known, else two. The same address twice gives the same customer, in whatever letter case.
 */
export async function findOrMakePartnerCustomers(
  ctx: Ctx,
  db: Atomic,
  passed: PassedEmail[],
): Promise<PartnerCustomer[]> {
  if (passed.length === 0) return []
  const asked = passed.map((one) => keyed(ctx, one))
  const wanted = distinct(asked)
  const known = byKey(await queries.findPartnerCustomers(db, wanted))

  const missing = wanted.filter(({ key }) => !known.has(key))
  if (missing.length > 0) {
    const made = await queries.insertPartnerCustomers(db, await newRows(ctx, db, missing))
    for (const [key, row] of byKey(made)) known.set(key, row)
  }
  // What is missing still was made by someone else between the two statements.
  const taken = missing.filter(({ key }) => !known.has(key))
  if (taken.length > 0) {
    for (const [key, row] of byKey(await queries.findPartnerCustomers(db, taken))) known.set(key, row)
  }
  return asked.map(({ key }) => {
    const found = known.get(key)
    if (!found) throw new Error('A partner customer is missing.')
    return found
  })
}

/** The same for one address. */
export async function findOrMakePartnerCustomer(ctx: Ctx, db: Atomic, passed: PassedEmail): Promise<PartnerCustomer> {
  const [found] = await findOrMakePartnerCustomers(ctx, db, [passed])
  if (!found) throw new Error('A partner customer is missing.')
  return found
}

type Keyed = PassedEmail & { hash: Buffer; key: string }

const keyOf = (partnerId: bigint, hash: Buffer): string => `${partnerId}:${hash.toString('base64')}`

function keyed(ctx: Ctx, { partnerId, email }: PassedEmail): Keyed {
  const hash = emailHash(ctx, email)
  return { partnerId, email, hash, key: keyOf(partnerId, hash) }
}

/** Each once, in one order for everybody, so that two blocks which make the same rows do not wait for each other. */
const distinct = (asked: Keyed[]): Keyed[] =>
  [...new Map(asked.map((one) => [one.key, one])).values()].toSorted((a, b) => (a.key < b.key ? -1 : 1))

const byKey = (rows: queries.PartnerCustomerRow[]): Map<string, PartnerCustomer> =>
  new Map(rows.map(({ partnerId, emailHash: hash, ...found }) => [keyOf(partnerId, hash), found] as const))

async function newRows(ctx: Ctx, db: Atomic, missing: Keyed[]): Promise<queries.NewPartnerCustomer[]> {
  const keys = await ctx.keyring.makeMany(db, missing.length)
  const createdAt = ctx.clock.now()
  return missing.map(({ partnerId, email, hash }, index) => {
    const dataKey = keys[index]
    if (!dataKey) throw new Error('A data key is missing.')
    // Partners see it, so it must not be one of a row of ids.
    const id = randomId()
    const personal = dataKey.seal({ email } satisfies Person, partnerCustomerPlace(id))
    return { id, partnerId, emailHash: hash, dataKeyId: dataKey.id, personal, createdAt }
  })
}
