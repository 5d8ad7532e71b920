import type { Db } from '../../platform/db/sql.ts'

/** An order that waits for money, as far as it is compared with money in suspense. */
type Waiting = { public_id: bigint; rail: string; reference: string; asset: string; amount: bigint }

/** An order that money in suspense may be for, and why: its reference was mistyped, or its amount is the same. */
export type Candidate = { transactionId: bigint; why: 'reference' | 'amount' | 'reference and amount' }

/** Money that left for no order, as far as it is compared with payouts and refunds. */
type Debit = { rail: string; payment: string; asset: string; amount: bigint; reference: string; text: string }

/**
 * The orders whose payout or refund money may have been that left for none, by its rail and payment, the likeliest first: the bank names
 * the payment or the order, or the amount is the same.
 */
export async function debitCandidates(db: Db, debits: readonly Debit[]): Promise<Map<string, Candidate[]>> {
  const rows = await db.sql<{
    rail: string
    payment: string
    transactionId: bigint
    is_named: boolean
    is_same: boolean
  }>`
    select left_by.rail, left_by.payment, public_id as "transactionId", bool_or(is_named) as is_named, bool_or(is_same) as is_same
    from unnest(${debits.map(({ rail }) => rail)}::text[], ${debits.map(({ payment }) => payment)}::text[],
        ${debits.map(({ asset }) => asset)}::text[], ${debits.map(({ amount }) => amount)}::numeric[],
        ${debits.map(({ reference, text }) => `${reference} ${text}`.toUpperCase())}::text[]) as left_by (rail, payment, asset, amount, texts)
    cross join lateral (
      select payouts.id, public_id, payouts.amount = left_by.amount as is_same,
        coalesce(strpos(texts, upper(plan_key)) > 0, false)
          or exists (
            select from deposit_instructions as own where own.transaction_id = payouts.transaction_id and own.reference <> ''
              and strpos(replace(texts, ' ', ''), upper(own.reference)) > 0) as is_named
      from payouts join transactions on transactions.id = transaction_id left join plans on plans.id = plan_id
      where payouts.rail = left_by.rail and payouts.asset = left_by.asset
      order by payouts.id desc limit 5000) as paid
    where is_named or is_same
    group by left_by.rail, left_by.payment, public_id order by is_named desc, is_same desc, max(paid.id) desc`
  const found = new Map<string, Candidate[]>()
  for (const { rail, payment, transactionId, is_named: isNamed, is_same: isSame } of rows) {
    const own = found.get(`${rail} ${payment}`) ?? []
    const why = isNamed ? (isSame ? 'reference and amount' : 'reference') : 'amount'
    if (own.length < most) found.set(`${rail} ${payment}`, [...own, { transactionId, why }])
  }
  return found
}

/** How many characters of a reference may be wrong. */
const mostErrors = 3
const most = 5

/** Orders that wait for money on rails, the newest first. */
export const waitingOrders = (db: Db, rails: readonly string[]): Promise<Waiting[]> =>
  db.sql`
    select public_id, rail, reference, asset, amount
    from deposit_instructions join transactions on transactions.id = transaction_id
    where rail = any(${[...new Set(rails)]}::text[]) and status in ('waiting_for_deposit', 'on_hold', 'expired')
    order by deposit_instructions.id desc limit 5000`

/** The orders that money may be for, the likeliest first. Their payers gave one of the texts. */
export function candidatesFor(
  { rail, asset, amount, texts }: { rail: string; asset: string; amount: bigint; texts: readonly string[] },
  waiting: readonly Waiting[],
): Candidate[] {
  const bare = texts.map((text) => text.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()).filter((text) => text !== '')
  const likely = waiting.flatMap((order) => {
    if (order.rail !== rail || order.asset !== asset) return []
    const isNear = bare.some((text) => mayBeWithin(text, order.reference) && isWithin(text, order.reference))
    if (isNear) return [{ order, rank: order.amount === amount ? 2 : 1 }]
    return order.amount === amount ? [{ order, rank: 0 }] : []
  })
  const why = ['amount', 'reference', 'reference and amount'] as const
  return likely
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, most)
    .map(({ order, rank }) => ({ transactionId: order.public_id, why: why[rank] ?? 'amount' }))
}

/** Of four parts of a reference, one is whole where three characters are wrong. */
const mayBeWithin = (text: string, reference: string): boolean => {
  const length = Math.floor(reference.length / (mostErrors + 1))
  return Array.from({ length: mostErrors + 1 }, (_, part) => reference.slice(part * length, (part + 1) * length)).some(
    (part) => part !== '' && text.includes(part),
  )
}

/** Whether a text has a reference in it, but for a few characters that are wrong, missing or too many. */
function isWithin(text: string, reference: string): boolean {
  // Distances to the best ending here: a reference may begin anywhere in the text.
  let before = Array.from({ length: text.length + 1 }, () => 0)
  for (let row = 1; row <= reference.length; row += 1) {
    const now = [row]
    for (let at = 1; at <= text.length; at += 1) {
      const isSame = reference[row - 1] === text[at - 1]
      now.push(Math.min((before[at - 1] ?? 0) + (isSame ? 0 : 1), (before[at] ?? 0) + 1, (now[at - 1] ?? 0) + 1))
    }
    before = now
  }
  return Math.min(...before) <= mostErrors
}
