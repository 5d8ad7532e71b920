import type { Deal, Stage } from './stage.ts'

type Row = {
  public_id: string
  partner_id: string
  status: string
  status_details: string | null
  from_asset: string
  rail: string | null
  paid: number
  deposits: number
}

/** Looks at every transaction as it now is, in the order of their making. */
export async function lookAtDeals(stage: Stage): Promise<void> {
  const { rows } = await stage.owner.query<Row>({
    name: 'deals',
    text: `
      select public_id::text, partner_id::text, status, status_details, from_asset,
        (select max(rail) from deposit_instructions where transaction_id = transactions.id) as rail,
        (select count(*)::int from payouts where transaction_id = transactions.id and state = 'paid') as paid,
        (select count(*)::int from deposits where transaction_id = transactions.id and state = 'final') as deposits
      from transactions order by id`,
  })
  stage.deals = rows.map((row, index): Deal => ({
    number: index + 1,
    publicId: BigInt(row.public_id),
    partnerId: BigInt(row.partner_id),
    status: row.status,
    details: row.status_details,
    fromAsset: row.from_asset,
    rail: row.rail,
    paid: row.paid,
    deposits: row.deposits,
  }))
}

/** The whole of it in a line that is the same in every run of one seed: how many of what, and how much. */
export async function sumOf({ owner }: Stage): Promise<string> {
  const { rows } = await owner.query<{ sum: string }>({
    name: 'sum',
    text: `
      select concat_ws(' ',
        (select string_agg(status || coalesce('/' || status_details, '') || ' ' || count, ' ' order by status, status_details)
          from (select status, status_details, count(*) from transactions group by 1, 2) as counted),
        (select count(*) from events), (select count(*) from jobs), (select count(*) from rail_events),
        (select count(*) || ' ' || coalesce(sum(amount), 0) from postings),
        (select count(*) from sandbox.transfers), (select count(*) from sandbox.bank_payments),
        (select count(*) from sandbox.callbacks)) as sum`,
  })
  return rows[0]?.sum ?? ''
}
