import type { Ctx } from '../context.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { type Decision, decisionsAbout } from './block.ts'
import { type CustomerProfile, profilesOf } from './profile.ts'

/** A customer's profile with its reasons: for operators, never for partners. */
export type ExplainedCustomer = { profile: CustomerProfile; decisions: Decision[] }

/** Explains a customer by the id that one partner sees; undefined for an unknown id and for somebody who has been erased. */
export async function explainCustomer(ctx: Ctx, id: bigint): Promise<ExplainedCustomer | undefined> {
  try {
    const [[profile], decisions] = await Promise.all([profilesOf(ctx, ctx.db, [id]), decisionsAbout(ctx, id)])
    if (!profile) return undefined
    return { profile, decisions }
  } catch (error) {
    if (error instanceof ErasedPerson) return undefined
    throw error
  }
}
