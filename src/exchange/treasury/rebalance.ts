import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Content } from '../approvals/content.ts'
import { stateMachine } from '../settlement/transition.ts'

/** The state of a rebalance. `sent`: an operator has sent the money, and it has left the books of its source. */
export type RebalanceState = 'proposed' | 'approved' | 'sent' | 'settled' | 'canceled'

/** The lifecycle of rebalances. */
export const rebalances = stateMachine<
  RebalanceState,
  'outcome' | 'sentProof' | 'feeAsset' | 'fee' | 'arrivedProof' | 'endedAt'
>(
  'rebalances',
  {
    proposed: ['approved', 'canceled'],
    approved: ['sent', 'canceled'],
    sent: ['settled'],
    settled: [],
    canceled: [],
  },
  {
    outcome: 'text',
    sentProof: 'text',
    feeAsset: 'text',
    fee: 'numeric',
    arrivedProof: 'text',
    endedAt: 'timestamptz',
  },
)

/** Whether a transfer has still to be decided, sent or received. */
export const isOpen = ({ state }: Pick<Rebalance, 'state'>): boolean => rebalances.lifecycle[state].length > 0

/** A transfer between custody accounts. `amount` in the asset's smallest unit. */
type Transfer = {
  id: bigint
  source: string
  destination: string
  account: string
  asset: string
  amount: bigint
  reference: string
  reason: string
}

/** A transfer as it is proposed. */
export type NewRebalance = Transfer & { state: 'proposed'; proposedBy: string; proposedAt: Date }

export const rebalanceRows = rowWriter<NewRebalance>('rebalances', {
  id: 'bigint',
  source: 'text',
  destination: 'text',
  account: 'text',
  asset: 'text',
  amount: 'numeric',
  reference: 'text',
  state: 'text',
  reason: 'text',
  proposedBy: 'text',
  proposedAt: 'timestamptz',
})

/** A stored rebalance. */
export type Rebalance = Transfer & {
  state: RebalanceState
  outcome: string | null
  proposed_by: string
  proposed_at: Date
  sent_proof: string | null
  arrived_proof: string | null
  ended_at: Date | null
}

/** The newest rebalances, or the one with an id. */
export const readRebalances = (db: Db, { id, limit }: { id?: bigint; limit: number }): Promise<Rebalance[]> =>
  db.sql`
    select id, source, destination, account, asset, amount, reference, state, reason, outcome, proposed_by, proposed_at, sent_proof,
      arrived_proof, ended_at
    from rebalances where ${id ?? null}::bigint is null or id = ${id ?? null} order by id desc limit ${limit}`

export const lockRebalance = async (db: Atomic, id: bigint): Promise<Rebalance | undefined> => {
  db.send`select from rebalances where id = ${id} for update`
  const [row] = await readRebalances(db, { id, limit: 1 })
  return row
}

/** Whether a transfer of an asset between two accounts has not ended. Waits for others that ask the same. */
export const lockRoute = async (
  db: Atomic,
  { source, account, asset }: Pick<NewRebalance, 'source' | 'account' | 'asset'>,
): Promise<boolean> => {
  db.send`select pg_advisory_xact_lock(hashtextextended(${`rebalance ${source} ${account} ${asset}`}, 0))`
  const open = await db.sql`
    select 1 from rebalances where source = ${source} and account = ${account} and asset = ${asset}
      and state in ('proposed', 'approved', 'sent')`
  return open.length > 0
}

/** What is approved of a rebalance. */
export const rebalanceContent = (row: Transfer): Content => ({
  kind: 'rebalance',
  id: String(row.id),
  source: row.source,
  destination: row.destination,
  account: row.account,
  asset: row.asset,
  amount: String(row.amount),
  reference: row.reference,
  reason: row.reason,
})

/** Rebalances that were approved, after an id. */
export const approvedRebalances = (db: Db, afterId: bigint, count: number): Promise<Rebalance[]> =>
  db.sql`
    select id, source, destination, account, asset, amount, reference, state, reason, outcome, proposed_by, proposed_at, sent_proof,
      arrived_proof, ended_at
    from rebalances where id > ${afterId} and state in ('approved', 'sent', 'settled') order by id limit ${count}`

/** Rebalances that were sent and have not arrived, by the account that they go to. */
export const rebalancesInTransit = (db: Db): Promise<{ account: string; asset: string; amount: bigint }[]> =>
  db.sql`
    select account, asset, sum(amount)::numeric(38, 0) as amount from rebalances where state = 'sent' group by account, asset`

/** Assets in which what is in transit by the books differs from the rebalances that were sent. */
export const misplacedTransit = (db: Db): Promise<{ asset: string }[]> =>
  db.sql`
    with booked as (
      select asset, sum(case debit when 'transit' then amount else -amount end) as amount
      from postings where 'transit' in (debit, credit) group by asset),
    sent as (select asset, sum(amount) as amount from rebalances where state = 'sent' group by asset)
    select coalesce(booked.asset, sent.asset) as asset from booked full join sent using (asset)
    where coalesce(booked.amount, 0) <> coalesce(sent.amount, 0)`
