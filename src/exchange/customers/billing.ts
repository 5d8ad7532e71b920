import type { Ctx } from '../context.ts'
import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import type { Person as VerifiedPerson } from '../../identity/provider.ts'
import { type DataKey, ownKeys } from '../../platform/privacy/data-key.ts'
import { type Billing, mergeBilling } from './billing-field.ts'
import { openImport } from './imported.ts'
import * as imports from './import-identity.sql.ts'
import { customerPlace, partnerCustomerPlace, type Person } from './person.ts'
import * as queries from './customers.sql.ts'

/** Billing information that a partner passed of an e-mail address, as far as it did. */
export type PassedBilling = { partnerCustomerId: bigint; email: string; billing: Billing }

/**
 * Stores the billing information that partners passed for e-mail addresses, overwriting what the same partner passed earlier.
 * It tells nobody anything until the address is proven. Costs nothing when nothing was passed.
 */
export async function keepPassedBilling(ctx: Ctx, db: Atomic, passed: PassedBilling[]): Promise<void> {
  if (passed.length === 0) return
  const ids = [...new Set(passed.map(({ partnerCustomerId }) => partnerCustomerId))]
  queries.lockPartnerCustomers(db, ids)
  const rows = await queries.readPartnerCustomers(db, ids)
  const kept = await Promise.all(
    rows.map(async (row): Promise<queries.StoredPerson> => {
      const ofRow = passed.filter(({ partnerCustomerId }) => partnerCustomerId === row.id)
      const [first] = ofRow
      if (!first) throw new Error('A partner customer was read that was not requested.')
      const place = partnerCustomerPlace(row.id)
      const { dataKey, person } = await open(ctx, db, row, place, { email: first.email, owner: row.customerId })
      const billing = ofRow.reduce((known, next) => mergeBilling(known, next.billing), person.billing ?? {})
      return { id: row.id, personal: dataKey.seal({ ...person, billing }, place), dataKeyId: dataKey.id }
    }),
  )
  queries.keepPartnerCustomers(db, kept)
}

/** Keeps what a customer has typed at a checkout, over what the same customer typed before. */
export async function saveOwnBilling(
  ctx: Ctx,
  db: Atomic,
  { customerId, email, billing }: { customerId: bigint; email: string; billing: Billing },
): Promise<void> {
  queries.lockCustomer(db, customerId)
  const row = one(await queries.readCustomer(db, customerId))
  const place = customerPlace(customerId)
  const { dataKey, person } = await open(ctx, db, row, place, { email, owner: customerId })
  const personal = dataKey.seal({ ...person, billing: mergeBilling(person.billing ?? {}, billing) }, place)
  queries.keepCustomer(db, { id: customerId, personal, dataKeyId: dataKey.id })
}

/**
 * What is known of a customer whose address is proven: from this partner, both fields and verified identities, and from the
 * customer.
 */
export type KeptBilling = { passed: Billing; own: Billing }

/** Erased data is unknown. Fields that the partner passed take precedence over a provider's. */
export async function readKeptBilling(
  ctx: Pick<Ctx, 'keyring'>,
  db: Db,
  { partnerCustomerId, customerId }: { partnerCustomerId: bigint | null; customerId: bigint },
): Promise<KeptBilling> {
  const kept: KeptBilling = { passed: {}, own: {} }
  const [persons, verified] = await Promise.all([
    queries.readPersons(db, partnerCustomerId, customerId),
    partnerCustomerId === null ? [] : imports.ofPartnerCustomer(db, partnerCustomerId),
  ])
  for (const { isOwn, ...row } of persons) {
    if (row.wrapped === null) continue
    const place = isOwn ? customerPlace(row.id) : partnerCustomerPlace(row.id)
    const { billing = {} } = ctx.keyring.unwrap(row.dataKeyId, row.wrapped).open<Person>(row.personal, place)
    kept[isOwn ? 'own' : 'passed'] = billing
  }
  for (const { wrapped, ...row } of verified.toReversed()) {
    if (wrapped === null) continue
    const { status, person } = openImport(ctx.keyring.unwrap(row.dataKeyId, wrapped), row)
    if (status === 'approved') kept.passed = mergeBilling(billingIn(person), kept.passed)
  }
  return kept
}

/**
 * What a verified identity says of billing: the name and the day of birth. Not the country: a provider's is that of a document, and
 * where somebody lives is asked.
 */
function billingIn({ firstName, lastName, birthDate }: VerifiedPerson): Billing {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(birthDate) ?? []
  return {
    ...(firstName === '' ? {} : { firstName }),
    ...(lastName === '' ? {} : { lastName }),
    ...(year === undefined ? {} : { dateOfBirthday: `${day}.${month}.${year}` }),
  }
}

/** Opens stored data. A customer who returns after an erasure starts over, under a new key. */
async function open(
  ctx: Ctx,
  db: Atomic,
  { dataKeyId, wrapped, personal }: queries.PersonRow,
  place: string,
  { email, owner }: { email: string; owner: bigint | null },
): Promise<{ dataKey: DataKey; person: Person }> {
  if (wrapped !== null) {
    const dataKey = ctx.keyring.unwrap(dataKeyId, wrapped)
    return { dataKey, person: dataKey.open<Person>(personal, place) }
  }
  const dataKey = await ctx.keyring.make(db)
  if (owner !== null) ownKeys(db, owner, [dataKey.id])
  return { dataKey, person: { email } }
}
