import type { Cell, Own, Row, Sample } from './life-sample.ts'

/** A part of a statement: rows to insert, a row to change, a row to remove. `at` says by which columns it is found. */
export type Part = { insert: string; rows: Row[] } | { update: string; at: Row; set: Row } | { remove: string; at: Row }

/** What one atomic block writes. */
export type Block = { name: string; parts: Part[] }

/**
 * The atomic blocks of a life with the rows that each writes: create, checkout, capture at the processor, fact, exchange, plan,
 * transfer on the chain, settlement, and events for the partner. As few blocks as a script needs that does nothing else;
 * `lane` keeps the rows that lives share (the reserve, the wallet) apart, so that they wait for nobody.
 */
export function blocksOf(sample: Sample, endpointId: string, lane: number): Block[] {
  const life = lifeOf(sample, endpointId, lane)
  return [
    { name: 'create', parts: create(life) },
    { name: 'checkout', parts: checkout(life) },
    { name: 'capture', parts: capture(life) },
    { name: 'fact', parts: fact(life) },
    { name: 'exchange', parts: exchange(life) },
    { name: 'plan', parts: plan(life) },
    { name: 'transfer', parts: transfer(life) },
    { name: 'settle', parts: settle(life) },
    { name: 'told', parts: told(life) },
  ]
}

type Life = ReturnType<typeof lifeOf>

function lifeOf(sample: Sample, endpointId: string, lane: number) {
  const rows = (table: string): Row[] => there(sample[table])
  const first = (table: string): Row => there(rows(table)[0])
  const transaction = first('transactions')
  const payout = first('payouts')
  const queued = (event: Row): Row => ({ endpoint_id: value(endpointId), ...pick(event, 'stream', 'sequence') })

  return {
    rows,
    first,
    queued,
    lane,
    keyOf: (row: Row): Row => there(rows('data_keys').find(({ id }) => same(id, row.data_key_id))),
    /** What the one writer of a transaction writes again at every move. */
    save: (status: string): Part => ({
      update: 'transactions',
      at: pick(transaction, 'id'),
      set: { ...pick(transaction, ...changing.filter((column) => column in transaction)), status: value(status) },
    }),
    /** The move and its event, with the event's places in the feed and in the queue. */
    move: (index: number): Part[] => {
      const event = there(rows('events')[index])
      return [
        insert('status_history', rows('status_history')[index]),
        insert('events', event),
        insert('event_feed', { event_id: there(event.id), ...pick(event, 'partner_id') }),
        insert('webhook_queue', {
          ...queued(event),
          event_id: there(event.id),
          next_at: there(event.at),
          fence: value('1'),
        }),
      ]
    },
    book: (...kinds: string[]): Part[] => {
      const entries = rows('entries').filter(({ kind }) => kinds.some((wanted) => same(kind, value(wanted))))
      const isOfThem = (posting: Row) => entries.some(({ id }) => same(id, posting.entry_id))
      return [insert('entries', ...entries), insert('postings', ...rows('postings').filter(isOfThem))]
    },
    reserve: (amount: string): Part => ({
      update: 'reserves',
      at: { place: value(`bench-${lane}`), ...pick(payout, 'asset') },
      set: { covered: value(amount), reserved: value(amount) },
    }),
  }
}

function create({ first, keyOf, move }: Life): Part[] {
  const transaction = first('transactions')
  const fresh = without(transaction, 'partner_customer_id', 'customer_id', 'output_hash', 'to_amount')
  return [
    insert('data_keys', pick(keyOf(transaction), 'id', 'wrapped')),
    insert('transactions', { ...fresh, status: value('new') }),
    insert('quotes', first('quotes')),
    ...move(0),
    insert('jobs', job('transaction.deadline', 0, transaction.expires_at)),
  ]
}

function checkout({ first, keyOf, save, move }: Life): Part[] {
  const customer = first('customers')
  const passed = first('partner_customers')
  return [
    insert('data_keys', keyOf(passed), keyOf(customer)),
    { update: 'data_keys', at: pick(keyOf(first('transactions')), 'id'), set: { owner: there(customer.id) } },
    insert('customers', customer),
    insert('partner_customers', passed),
    insert('deposit_instructions', first('deposit_instructions')),
    save('waiting_for_deposit'),
    ...move(1),
  ]
}

function capture({ first }: Life): Part[] {
  const told = first('rail_events')
  return [
    insert('sandbox.card_payments', first('sandbox.card_payments')),
    insert('sandbox.callbacks', { id: extra(0), ...pick(told, 'rail', 'body'), next_at: there(told.received_at) }),
    insert('jobs', job('sandbox.callback', 1)),
  ]
}

const fact = ({ first }: Life): Part[] => [
  { remove: 'sandbox.callbacks', at: { id: extra(0) } },
  insert('rail_events', first('rail_events')),
  done('sandbox.callback', 1),
  insert('jobs', job('fact.received', 2)),
]

const exchange = ({ first, save, move, book, reserve }: Life): Part[] => [
  insert('deposits', first('deposits')),
  save('exchanging'),
  ...move(2),
  ...book('deposit', 'exchange'),
  reserve('1000000000'),
  insert('payouts', { ...without(first('payouts'), 'plan_id'), state: value('reserved') }),
  done('fact.received', 2),
  insert('jobs', job('payout.due', 3)),
]

const plan = ({ first, save, move, book }: Life): Part[] => [
  insert('plans', { ...without(first('plans'), 'evidence', 'ended_at'), state: value('planned') }),
  {
    update: 'payouts',
    at: pick(first('payouts'), 'id'),
    set: { ...pick(first('payouts'), 'plan_id'), state: value('planned') },
  },
  save('sending'),
  ...move(3),
  ...book('payout_sent'),
  done('payout.due', 3),
  insert('jobs', job('plan.due', 4)),
]

const transfer = ({ first, lane }: Life): Part[] => [
  insert('sandbox.transfers', { ...first('sandbox.transfers'), sender: value(`bench-${lane}`) }),
  ...['sender', 'recipient'].map((whose): Part => ({
    update: 'sandbox.wallets',
    at: { chain: value('BENCH'), address: value(`${whose}-${lane}`), ...pick(first('payouts'), 'asset') },
    set: { balance: value('1000000000') },
  })),
]

const settle = ({ first, save, move, book, reserve }: Life): Part[] => [
  save('finished'),
  ...move(4),
  ...book('payout_settled'),
  { update: 'plans', at: pick(first('plans'), 'id'), set: pick(first('plans'), 'state', 'evidence', 'ended_at') },
  { update: 'payouts', at: pick(first('payouts'), 'id'), set: pick(first('payouts'), 'state') },
  reserve('2000000000'),
  done('plan.due', 4),
]

const told = ({ rows, queued }: Life): Part[] => [
  insert('webhook_attempts', ...rows('webhook_attempts')),
  ...rows('events').map((event): Part => ({ remove: 'webhook_queue', at: queued(event) })),
]

const changing = [
  'status',
  'expected_from',
  'expected_to',
  'from_amount',
  'to_amount',
  'country',
  'quote_number',
  'status_changes',
]
  .concat(['events', 'errors', 'output_hash', 'partner_customer_id', 'customer_id', 'personal', 'quote_expires_at'])
  .concat(['expires_at', 'updated_at'])

const value = (text: string): Cell => ({ value: text })
const insert = (table: string, ...rows: (Row | undefined)[]): Part => ({ insert: table, rows: rows.map(there) })

/** A number of the life's own that the sample does not have, for rows that are gone when a life is over. */
const extra = (slot: number, as: Own['as'] = 'number'): Cell => ({ own: { slot: 90 + slot, sample: '0000000000', as } })

const job = (kind: string, slot: number, runAt: Cell = value('2026-01-01T00:00:00Z')): Row => ({
  kind: value(kind),
  key: extra(slot, 'text'),
  timebase: value('business'),
  run_at: runAt,
  lease_until: value('2026-01-01T00:00:10Z'),
  fence: value('1'),
})

const done = (kind: string, slot: number): Part => ({ remove: 'jobs', at: pick(job(kind, slot), 'kind', 'key') })

function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('The life that was read is not a whole one.')
  return thing
}

const pick = (row: Row, ...columns: string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, there(row[column])]))

const without = (row: Row, ...columns: string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))

function same(a: Cell | undefined, b: Cell | undefined): boolean {
  if (!a || !b) return false
  if ('own' in a) return 'own' in b && a.own.slot === b.own.slot
  return 'value' in b && String(a.value) === String(b.value)
}
