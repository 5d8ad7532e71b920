import type { Db } from '../platform/db/sql.ts'
import { newestRead } from '../platform/lib/newest-read.ts'

/**
 * What a halt stops. `all`: orders and payouts. `payouts`: everything that leaves. `rail`: crediting and payouts of one rail.
 * `asset`: exchanges and payouts of one asset. `crediting`: crediting on a rail that reversed what was final. Money that arrives
 * is recorded whatever is halted. `restored`: everything that leaves, e-mails and webhooks included, because the database went back in
 * time.
 */
export type HaltScope = 'all' | 'payouts' | 'rail' | 'asset' | 'crediting' | 'restored'

/** A halt. `name` is a rail or an asset (`USDT-TRX`), and empty for the others. */
export type Halt = {
  scope: HaltScope
  name: string
  since: Date
  reason: string
  haltedBy: string
}

/** All halts, the longest first. */
export const readHalts = (db: Db): Promise<Halt[]> =>
  db.sql`
    select scope, name, since, reason, halted_by as "haltedBy" from halts
    order by since, scope, name`

/** What is halted, as this process knows it: a second old at most. What sends money asks the database (`payoutsHalted`). */
export type ActiveHalts = {
  all: boolean
  /** Nothing leaves by any rail. */
  payouts: boolean
  /** No e-mail and no webhook leaves either. */
  restored: boolean
  rails: ReadonlySet<string>
  assets: ReadonlySet<string>
}

export const nothingHalted: ActiveHalts = {
  all: false,
  payouts: false,
  restored: false,
  rails: new Set(),
  assets: new Set(),
}

/** What this process knows of the halts. */
export type HaltState = {
  /** The same object until something changes. */
  now(): ActiveHalts
  /** Reads the halts again. */
  refresh(db: Db): Promise<void>
}

export function openHalts(): HaltState {
  let [active, known] = [nothingHalted, '']
  return {
    now: () => active,
    refresh: newestRead(readHalts, (all) => {
      const halts = all.filter(({ scope }) => scope !== 'crediting')
      const seen = halts.map(({ scope, name }) => `${scope} ${name}`).join()
      if (seen !== known) [active, known] = [halts.length > 0 ? activeOf(halts) : nothingHalted, seen]
    }),
  }
}

function activeOf(halts: readonly Halt[]): ActiveHalts {
  const namesOf = (scope: HaltScope) => new Set(halts.filter((one) => one.scope === scope).map(({ name }) => name))
  const [all, restored] = [namesOf('all').size > 0, namesOf('restored').size > 0]
  const payouts = all || restored || namesOf('payouts').size > 0
  return { all, payouts, restored, rails: namesOf('rail'), assets: namesOf('asset') }
}

/** Whether a payment of an asset may not leave by a rail. */
export const stopsPayout = ({ payouts, rails, assets }: ActiveHalts, rail: string, asset: string): boolean =>
  payouts || rails.has(rail) || assets.has(asset)

/**
 * The assets that may not leave by a rail now, or `all` of them. For rails that send several payments at once, such as a file: asked
 * in the block that writes the file, it makes a halt wait until that block ends, so that nothing leaves after the halt.
 */
export async function payoutsHalted(db: Db, rail: string): Promise<'all' | ReadonlySet<string>> {
  await db.sql`lock table halts in share mode`
  const active = activeOf(await readHalts(db))
  return active.payouts || active.rails.has(rail) ? 'all' : active.assets
}
