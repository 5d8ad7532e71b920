import type { Db } from '../../platform/db/sql.ts'
import { notPrepared } from '../../rails/chain/prepared.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { beginning } from '../../signer/journal.ts'
import type { SignedLine, SignedPage } from '../../signer/signer.ts'
import type { Ctx } from '../context.ts'
import { type FoundBreak, listed } from './breaks.sql.ts'

/** How far this process has compared a signer's journal, the hash there, and what it has found that no payout is behind. */
type Compared = { upTo: number; hash: string; unknown: SignedLine[] }

const nothing: Compared = { upTo: 0, hash: beginning, unknown: [] }
const comparedBy = new WeakMap<object, Compared>()

/** How old the last whole comparison may be. */
export const comparedWithinMs = 60_000

/**
 * What the signer has signed, by its journal, and no payout of ours is behind: as breaks of the account that pays such coins. While the
 * signer does not answer, what was found before stays.
 */
export async function signedUnknown(ctx: Ctx): Promise<FoundBreak[]> {
  if (!ctx.signer) return []
  const now = ctx.clock.realNow()
  try {
    await ctx.db.sql`insert into signer_compared (at) values (${now}) on conflict do nothing`
    const unknown = await unknownNow(ctx, ctx.signer)
    await ctx.db.sql`update signer_compared set at = ${now} where at < ${now}`
    return unknown.flatMap((one) => breakOf(ctx, one) ?? [])
  } catch (err) {
    const level = (await lastCompared(ctx.db)) < now.getTime() - comparedWithinMs ? 'error' : 'warn'
    ctx.log[level]({ err }, 'Failed to compare the journal of the signer with the books.')
    return (await listed(ctx.db, { open: true })).filter(({ cause }) => cause === 'signed_unknown')
  }
}

/** When a journal was compared to its end, or this was first tried, in milliseconds; without either, this has no beginning. */
export async function lastCompared(db: Db): Promise<number> {
  const [row] = await db.sql<{ at: Date }>`select at from signer_compared`
  return row ? row.at.getTime() : Infinity
}

/** Whether the signer has signed something that no payout is behind and that is no break yet. */
export async function hasUnreported(ctx: Ctx): Promise<boolean> {
  const found = await signedUnknown(ctx)
  if (found.length === 0) return false
  const known = await reported(ctx.db, found)
  return found.some(({ key, amount }) => !known.some((one) => one.key === key && one.amount === amount))
}

/** Each page counts at once, so that one that fails is the only one to be read again. A journal that was replaced is read from its beginning. */
async function unknownNow(ctx: Ctx, signer: NonNullable<Ctx['signer']>): Promise<SignedLine[]> {
  let before = comparedBy.get(signer) ?? nothing
  const unknown = await withoutPayout(ctx, before.unknown)
  for (;;) {
    const page = await signer.call<SignedPage>('/signed', { after: before.upTo })
    if (page.from !== before.hash) {
      if (before === nothing) throw new Error('The journal of the signer does not begin as journals do.')
      before = nothing
      unknown.length = 0
      continue
    }
    unknown.push(...(await withoutPayout(ctx, page.payments)))
    const isStuck = page.upTo <= before.upTo
    before = { upTo: page.upTo, hash: page.hash, unknown: [...unknown] }
    comparedBy.set(signer, before)
    if (page.upTo >= page.lines) return unknown
    if (isStuck) throw new Error('The signer gives no more of its journal.')
  }
}

/** Payments that no payout of the books is behind: of the same asset and amount, under the key that was prepared, and to the same place. */
async function withoutPayout({ db, secrets }: Ctx, signed: readonly SignedLine[]): Promise<SignedLine[]> {
  if (signed.length === 0) return []
  // The rails that ever had a plan, each by one look into the index.
  const known = await db.sql<{ key: string; asset: string; amount: bigint }>`
    with recursive named as (
      select min(rail) as rail from plans
      union all select (select min(plans.rail) from plans where plans.rail > named.rail) from named where named.rail is not null)
    select plan_key as key, asset, amount from named join plans using (rail) join payouts on plan_id = plans.id
    where plan_key = any(${signed.map(({ payout }) => payout)}::text[])`
  const names = new Set(known.map(({ key, asset, amount }) => `${key} ${asset} ${amount}`))
  const unprepared = new Set(await notPrepared(db, secrets.keyFor('chain-payments'), signed))
  return signed.filter((one) => unprepared.has(one) || !names.has(`${one.payout} ${one.asset} ${one.amount}`))
}

const reported = (db: Db, found: readonly FoundBreak[]): Promise<{ key: string; amount: bigint }[]> =>
  db.sql`
    select key, amount from breaks
    where key = any(${found.map(({ key }) => key)}::text[]) and cause = 'signed_unknown' and state in ('open', 'resolved')`

/** A coin of no rail here counts as one of the first account that the signer pays from. */
function breakOf({ rails }: Ctx, { payout, asset, amount }: SignedLine): FoundBreak | undefined {
  const rail =
    rails.forPayout('CRYPTO', bookedAsset(asset)?.network ?? '') ??
    rails.all.find((one) => one.payout?.most !== undefined)
  return (
    rail && {
      account: rail.custodyAccount,
      asset,
      kind: 'not_booked',
      key: `${rail.name} out ${payout}`,
      amount: -BigInt(amount),
      cause: 'signed_unknown',
      owner: 'operations',
    }
  )
}
