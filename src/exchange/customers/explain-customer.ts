import type { Ctx } from '../context.ts'
import { riskRules } from '../compliance/risk-rules.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { type Decision, decisionsAbout } from './block.ts'
import { type CustomerProfile, profilesOf } from './profile.ts'

/** A rule of risk that holds for a customer. */
export type HeldRule = { name: string; sentence: string; level: string }

/** A customer's profile with its reasons: for operators, never for partners. */
export type ExplainedCustomer = { profile: CustomerProfile; rules: HeldRule[]; decisions: Decision[] }

/** Explains a customer by the id that one partner sees; undefined for an unknown id and for somebody who has been erased. */
export async function explainCustomer(ctx: Ctx, id: bigint): Promise<ExplainedCustomer | undefined> {
  try {
    const [[profile], decisions] = await Promise.all([profilesOf(ctx, ctx.db, [id]), decisionsAbout(ctx, id)])
    if (!profile) return undefined
    const rules = profile.risk.because.map((name) => {
      const rule = riskRules.find((one) => one.name === name)
      return { name, sentence: rule?.sentence ?? '', level: rule?.level ?? '' }
    })
    return { profile, rules, decisions }
  } catch (error) {
    if (error instanceof ErasedPerson) return undefined
    throw error
  }
}
