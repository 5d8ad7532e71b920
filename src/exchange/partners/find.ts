import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from './partner.ts'
import * as queries from './partners.sql.ts'

/** Every partner account, oldest first. */
export const listPartners = ({ db }: Pick<Ctx, 'db'>): Promise<Partner[]> => queries.partners(db)

/** One partner account. Refuses an unknown one with NOT_FOUND. */
export async function showPartner({ db }: { db: Db }, id: bigint): Promise<Partner> {
  const partner = await queries.partner(db, id)
  if (!partner) throw noSuchPartner()
  return partner
}

/** The refusal of an id that no partner account has. */
export const noSuchPartner = (): Refusal => new Refusal('NOT_FOUND', 'There is no such partner.')
