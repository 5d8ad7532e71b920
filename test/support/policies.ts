import { environmentOf } from '../../src/app/config/environment.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import { vouch } from '../../src/exchange/approvals/approve.ts'
import { raiseVersion } from '../../src/exchange/audit/version.ts'
import type { FeesDocument } from '../../src/exchange/policies/fees.ts'
import { type Kind, policyKinds } from '../../src/exchange/policies/kinds.ts'
import { inForceContent, shippedBy } from '../../src/exchange/policies/in-force.ts'
import { type Policies, shippedPolicies } from '../../src/exchange/policies/policies.ts'
import { type FeeSchedule, scheduleOf } from '../../src/exchange/pricing/fees.ts'

const sandbox = environmentOf('sandbox')

/** What ships with the sandbox. */
export const policies: Policies = shippedPolicies(sandbox)

/** The shipped price list of customers' exchanges. */
export const schedule: FeeSchedule = scheduleOf(policies.at(new Date(0), 'fees'), 'EUR', 'BTC')

/** The shipped price list with something changed. */
export const feesDocument = (change: Partial<FeesDocument> = {}): FeesDocument => ({
  ...policyKinds.fees.shipped(sandbox),
  ...change,
})

/** A document that holds in a test, for a partner or everybody. */
export type Given = { kind: Kind; document: unknown; version?: number; partnerId?: bigint; effectiveAt?: Date }

/** What ships, and further versions. */
export const policiesWith = (...given: Given[]): Policies =>
  shippedPolicies(
    sandbox,
    given.map(({ kind, document, version = 2, partnerId = null, effectiveAt = new Date(0) }, at) => {
      return { id: BigInt(100 + at), kind, version, partnerId, effectiveAt, document }
    }),
  )

/** Puts a document in force in an exchange at once, as a proposal that was approved; gives its version. */
export async function putInForce(
  ctx: Pick<Ctx, 'db' | 'policies' | 'secrets' | 'config' | 'clock'>,
  { kind, document, partnerId, effectiveAt = new Date(1) }: Omit<Given, 'version'>,
): Promise<number> {
  const row = await ctx.db.atomic(async (db) => {
    raiseVersion(db)
    const [made] = await db.sql<{ id: bigint; version: number }>`
      insert into policies (kind, version, partner_id, document, author, reason, proposed_at, effective_at, approved_at, approved_by)
      select ${kind}, max(version) + 1, ${partnerId ?? null}, ${JSON.stringify(document)}::jsonb, 'test', 'test',
        ${effectiveAt}, ${effectiveAt}, ${effectiveAt}, 'test' from policies where kind = ${kind}
      returning id, version`
    if (made) vouch(ctx, db, inForceContent(made), shippedBy, effectiveAt)
    return made
  })
  await ctx.policies.reload(ctx.db)
  return row?.version ?? 0
}

const eur = (period: string, max: string) => ({ period, currency: 'EUR', max })

/** Lets unverified persons exchange 20,000 EUR a day, for tests about something else. */
export const highLimits: Given = {
  kind: 'limits',
  document: {
    unverified: [eur('P1D', '20000'), eur('P30D', '50000')],
    basic: [eur('P1D', '100000'), eur('P30D', '300000')],
    full: [eur('P1D', '250000'), eur('P30D', '1000000')],
  },
}

export const letExchange = (ctx: Pick<Ctx, 'db' | 'policies' | 'secrets' | 'config' | 'clock'>): Promise<number> =>
  putInForce(ctx, highLimits)
