import type { Db } from '../../platform/db/sql.ts'
import { after, type Clock } from '../../platform/lib/clock.ts'

/** Why a payout could not be sent, and until when nobody tries again, in real time. */
export type PayoutRefusal = { code: string; message: string; refusedUntil: Date }

/**
 * How far a payout is. `signing`: it is written down, and its signature is asked for. `refusal`: why it was not sent the last
 * time, and when it is tried again.
 */
export type PayoutProgress = {
  state: 'waiting' | 'signing' | 'sent' | 'done' | 'never'
  refusal?: PayoutRefusal | undefined
  /** The database was restored, and may have forgotten that it left: it is not ordered again. */
  mayHaveLeft?: boolean | undefined
  /** What the payee's bank says of the name that we gave, and the names that it has, where banks confirm payees. */
  payee?: { match: 'match' | 'close' | 'none' | 'unknown'; names: string } | undefined
}

/** How long a payout that was refused keeps out of the way of the others, in real milliseconds. */
const refusedMs = 30_000

/** Writes down that payouts were refused: until a while from now, others go before them. */
export async function keepRefusals(
  { db, clock, network: { code } }: { db: Db; clock: Pick<Clock, 'realNow'>; network: { code: string } },
  keys: readonly string[],
  { code: reason, message }: { code: string; message: string },
): Promise<void> {
  // The signer knows a payout by the number of its payment, which nothing else shows.
  const messages = keys.map((key) =>
    reason.startsWith('approval_') ? `${message} The signer's number for this payout is ${key}.` : message,
  )
  await db.sql`
    insert into chain_refusals (network, plan_key, code, message, refused_until)
    select ${code}, key, ${reason}, said, ${after(clock.realNow(), refusedMs)}
    from unnest(${[...keys]}::text[], ${messages}::text[]) as refused (key, said)
    on conflict (network, plan_key) do update set code = excluded.code, message = excluded.message,
      refused_until = excluded.refused_until`
}

/** Forgets that payouts were refused, since they are sent now. */
export const forgetRefusals = (db: Db, network: string, keys: readonly string[]): Promise<unknown[]> =>
  db.sql`delete from chain_refusals where network = ${network} and plan_key = any(${[...keys]}::text[])`

/** Why a payout was not sent the last time, if it was refused. */
export async function refusalOf(db: Db, network: string, key: string): Promise<PayoutRefusal | undefined> {
  const [row] = await db.sql<PayoutRefusal>`
    select code, message, refused_until as "refusedUntil" from chain_refusals
    where network = ${network} and plan_key = ${key}`
  return row
}
