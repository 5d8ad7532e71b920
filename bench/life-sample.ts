import type { ClientBase } from 'pg'

/** A row as it is written: its columns, each a value as it was found, or one that every life has of its own. */
export type Row = Record<string, Cell>
/** What to write: the same bytes for all lives, or its own name for each. */
export type Cell = { value: string | Buffer | null } | { own: Own }

/**
 * A value that must be another one in every life: the `slot`-th number of the life, alone, at the end of a text of `sample`'s
 * length, or at the beginning of as many bytes. The same slot is the same number, so that rows go on referring to each other.
 */
export type Own = { slot: number; sample: string | Buffer; as: 'number' | 'text' | 'bytes' }

/** The rows of one finished buy, by table, in the order in which they were written. */
export type Sample = Record<string, Row[]>

/** Which rows of a table belong to transaction `$1` (our id). What is gone after a life (jobs, queues) is made up elsewhere. */
const owned: Record<string, string> = {
  transactions: 'id = $1',
  quotes: 'transaction_id = $1',
  status_history: 'transaction_id = $1 order by number',
  events: 'stream = (select public_id from transactions where id = $1) order by sequence',
  deposit_instructions: 'transaction_id = $1',
  customers: 'id = (select customer_id from transactions where id = $1)',
  partner_customers: 'id = (select partner_customer_id from transactions where id = $1)',
  data_keys: `id in (select data_key_id from transactions where id = $1
    union select data_key_id from customers where id = (select customer_id from transactions where id = $1)
    union select data_key_id from partner_customers where id = (select partner_customer_id from transactions where id = $1))
    order by id`,
  rail_events: 'id = (select event_id from deposits where transaction_id = $1)',
  deposits: 'transaction_id = $1',
  entries: 'transaction_id = $1 order by id',
  postings: 'entry_id in (select id from entries where transaction_id = $1) order by entry_id, line',
  payouts: 'transaction_id = $1',
  plans: 'id = (select plan_id from payouts where transaction_id = $1)',
  webhook_attempts: `event_id in (
    select id from events where stream = (select public_id from transactions where id = $1)) order by event_id`,
  'sandbox.card_payments': 'reference = (select reference from deposit_instructions where transaction_id = $1)',
  'sandbox.transfers': `nonce = (
    select plan_key from plans where id = (select plan_id from payouts where transaction_id = $1))`,
}

/** Columns that name something of this life, and what: equal names of equal values stay equal. */
const own: Record<string, [kind: string, as: Own['as']]> = {
  'transactions.id': ['transaction', 'number'],
  'transactions.public_id': ['public', 'number'],
  'transactions.checkout_token': ['token', 'text'],
  'transactions.partner_customer_id': ['partner customer', 'number'],
  'transactions.customer_id': ['customer', 'number'],
  'events.id': ['event', 'number'],
  'events.stream': ['public', 'number'],
  'customers.id': ['customer', 'number'],
  'customers.email_hash': ['customer', 'bytes'],
  'partner_customers.id': ['partner customer', 'number'],
  'partner_customers.customer_id': ['customer', 'number'],
  'partner_customers.email_hash': ['customer', 'bytes'],
  'data_keys.id': ['key', 'number'],
  'data_keys.owner': ['customer', 'number'],
  'deposit_instructions.id': ['instruction', 'number'],
  'deposit_instructions.reference': ['reference', 'text'],
  'rail_events.id': ['fact', 'number'],
  'rail_events.event_key': ['fact', 'text'],
  'rail_events.reference': ['reference', 'text'],
  'rail_events.payment': ['fact', 'text'],
  'deposits.id': ['deposit', 'number'],
  'deposits.event_id': ['fact', 'number'],
  'deposits.payment': ['fact', 'text'],
  'entries.id': ['entry', 'number'],
  'postings.entry_id': ['entry', 'number'],
  'payouts.id': ['payout', 'number'],
  'payouts.plan_id': ['plan', 'number'],
  'plans.id': ['plan', 'number'],
  'plans.plan_key': ['payout', 'text'],
  'webhook_attempts.event_id': ['event', 'number'],
  'sandbox.card_payments.id': ['payment', 'number'],
  'sandbox.card_payments.reference': ['reference', 'text'],
  'sandbox.transfers.id': ['transfer', 'number'],
  'sandbox.transfers.hash': ['transfer', 'text'],
  'sandbox.transfers.nonce': ['payout', 'text'],
}
const ownAnywhere: Record<string, [kind: string, as: Own['as']]> = {
  transaction_id: ['transaction', 'number'],
  data_key_id: ['key', 'number'],
}

/** Reads the rows of a finished buy. Every cell is text, or bytes. */
export async function readSample(client: ClientBase, transactionId: string): Promise<Sample> {
  const slots = new Map<string, number>()
  const slotOf = (kind: string, sample: string): number => {
    const name = `${kind} ${sample}`
    const slot = slots.get(name) ?? slots.size
    slots.set(name, slot)
    return slot
  }
  const sample: Sample = {}
  for (const [table, condition] of Object.entries(owned)) {
    const { rows } = await client.query<Record<string, string | Buffer | null>>(
      `select * from ${table} where ${condition}`,
      [transactionId],
    )
    if (rows.length === 0) throw new Error(`A finished buy has left nothing in ${table}.`)
    sample[table] = rows.map((row) => rowOf(table, row, slotOf))
  }
  return sample
}

const leftToTheDatabase: ReadonlySet<string> = new Set(['xid', 'position'])

function rowOf(
  table: string,
  found: Record<string, string | Buffer | null>,
  slotOf: (kind: string, sample: string) => number,
): Row {
  const row: Row = {}
  for (const [column, value] of Object.entries(found)) {
    if (value === null || leftToTheDatabase.has(column)) continue
    const [kind, as] = own[`${table}.${column}`] ?? ownAnywhere[column] ?? []
    // The hash of one person's address is one value under two names.
    const name =
      as === 'bytes' || column === 'hash' || column === 'event_key' || column === 'reference' || column === 'payment'
        ? 'whole'
        : String(value)
    row[column] = kind && as ? { own: { slot: slotOf(kind, name), sample: value, as } } : { value }
  }
  return row
}

/** How many numbers a life may have of its own. */
const slotsOfALife = 100
const firstNumber = 1_000_000_000

/** The value of a cell in the `life`-th life. */
export function valueIn(life: number, cell: Cell): string | Buffer | null {
  if ('value' in cell) return cell.value
  const { slot, sample, as } = cell.own
  const number = firstNumber + life * slotsOfALife + slot
  if (as === 'number') return String(number)
  if (as === 'text') return String(sample).slice(0, -10).concat(String(number))
  const bytes = Buffer.from(sample as Buffer)
  bytes.writeDoubleBE(number)
  return bytes
}
