import type { Cell, Own, Row, Sample } from './life-sample.ts'

/** A part of a statement: rows to insert, a row to change, a row to remove. `at` says by which columns it is found. */
export type Part =
  | { insert: string; rows: Row[] }
  | { update: string; at: Row; set: Row }
  | { remove: string; at: Row }

/** What one atomic block writes. */
export type Block = { name: string; parts: Part[] }

const value = (text: string): Cell => ({ value: text })
const insert = (table: string, ...rows: (Row | undefined)[]): Part => ({ insert: table, rows: rows.map(there) })

function there<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('The life that was read is not a whole one.')
  return thing
}

function pick(row: Row, ...columns: string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, there(row[column])]))
}

const without = (row: Row, ...columns: string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))

/** A number of the life's own that the sample does not have, for rows that are gone when a life is over. */
const extra = (slot: number, as: Own['as'] = 'number', sample = '0000000000'): Cell => ({ own: { slot: 90 + slot, sample, as } })

/**
 * The atomic blocks of a life with the rows that each writes: create, checkout, capture at the processor, fact, exchange, plan,
 * transfer on the chain, settlement, and what was told to the partner. As few blocks as a script needs that does nothing else;
 * `lane` keeps the rows that lives share (the reserve, the wallet) apart, so that they wait for nobody.
 */
export function blocksOf(sample: Sample, endpointId: string, lane: number): Block[] {
  const rows = (table: string): Row[] => there(sample[table])
  const first = (table: string): Row => there(rows(table)[0])
  const transaction = first('transactions')
  const keyOf = (row: Row): Row => there(rows('data_keys').find(({ id }) => same(id, row.data_key_id)))
  const customer = first('customers')
  const passed = first('partner_customers')
  const payout = first('payouts')
  const plan = first('plans')

  const save = (status: string): Part => ({
    update: 'transactions',
    at: pick(transaction, 'id'),
    set: { ...pick(transaction, ...changing.filter((column) => column in transaction)), status: value(status) },
  })
  const told = (index: number): Part[] => {
    const event = there(rows('events')[index])
    return [
      insert('moves', rows('moves')[index]),
      insert('events', event),
      insert('event_feed', { event_id: there(event.id), partner_id: there(event.partner_id) }),
      insert('webhook_queue', { ...queued(event), event_id: there(event.id), next_at: there(event.at), fence: value('1') }),
    ]
  }
  const queued = (event: Row): Row => ({ endpoint_id: value(endpointId), ...pick(event, 'stream', 'sequence') })
  const booked = (...kinds: string[]): Part[] => {
    const entries = rows('entries').filter(({ kind }) => kinds.some((wanted) => same(kind, value(wanted))))
    const isOfThem = (posting: Row) => entries.some(({ id }) => same(id, posting.entry_id))
    return [insert('entries', ...entries), insert('postings', ...rows('postings').filter(isOfThem))]
  }
  const reserve = (amount: string): Part => ({
    update: 'reserves',
    at: { place: value(`bench-${lane}`), asset: there(payout.asset) },
    set: { covered: value(amount), reserved: value(amount) },
  })
  const key = pick(keyOf(transaction), 'id', 'wrapped')
  const created = without(transaction, 'partner_customer_id', 'customer_id', 'output_hash', 'to_amount')

  return [
    {
      name: 'create',
      parts: [
        insert('data_keys', key),
        insert('transactions', { ...created, status: value('new') }),
        insert('quotes', first('quotes')),
        ...told(0),
        insert('jobs', job('transaction.deadline', 0, transaction.expires_at)),
      ],
    },
    {
      name: 'checkout',
      parts: [
        insert('data_keys', keyOf(passed), keyOf(customer)),
        { update: 'data_keys', at: pick(key, 'id'), set: { owner: there(customer.id) } },
        insert('customers', customer),
        insert('partner_customers', passed),
        insert('deposit_instructions', first('deposit_instructions')),
        save('waiting_for_deposit'),
        ...told(1),
      ],
    },
    {
      name: 'capture',
      parts: [
        insert('sandbox.card_payments', first('sandbox.card_payments')),
        insert('sandbox.callbacks', {
          id: extra(0),
          ...pick(first('facts'), 'rail', 'body'),
          next_at: there(first('facts').received_at),
        }),
        insert('jobs', job('sandbox.callback', 1)),
      ],
    },
    {
      name: 'fact',
      parts: [
        { remove: 'sandbox.callbacks', at: { id: extra(0) } },
        insert('facts', first('facts')),
        done('sandbox.callback', 1),
        insert('jobs', job('fact.received', 2)),
      ],
    },
    {
      name: 'exchange',
      parts: [
        insert('deposits', first('deposits')),
        save('exchanging'),
        ...told(2),
        ...booked('deposit', 'exchange'),
        reserve('1000000000'),
        insert('payouts', { ...without(payout, 'plan_id'), state: value('reserved') }),
        done('fact.received', 2),
        insert('jobs', job('payout.due', 3)),
      ],
    },
    {
      name: 'plan',
      parts: [
        insert('plans', { ...without(plan, 'evidence', 'ended_at'), state: value('planned') }),
        { update: 'payouts', at: pick(payout, 'id'), set: { ...pick(payout, 'plan_id'), state: value('planned') } },
        save('sending'),
        ...told(3),
        ...booked('payout_sent'),
        done('payout.due', 3),
        insert('jobs', job('plan.due', 4)),
      ],
    },
    {
      name: 'transfer',
      parts: [
        insert('sandbox.transfers', { ...first('sandbox.transfers'), sender: value(`bench-${lane}`) }),
        ...['sender', 'recipient'].map(
          (whose): Part => ({
            update: 'sandbox.wallets',
            at: { chain: value('BENCH'), address: value(`${whose}-${lane}`), asset: there(payout.asset) },
            set: { balance: value('1000000000') },
          }),
        ),
      ],
    },
    {
      name: 'settle',
      parts: [
        save('finished'),
        ...told(4),
        ...booked('payout_settled'),
        { update: 'plans', at: pick(plan, 'id'), set: pick(plan, 'state', 'evidence', 'ended_at') },
        { update: 'payouts', at: pick(payout, 'id'), set: pick(payout, 'state') },
        reserve('2000000000'),
        done('plan.due', 4),
      ],
    },
    {
      name: 'told',
      parts: [
        insert('webhook_attempts', ...rows('webhook_attempts')),
        ...rows('events').map((event): Part => ({ remove: 'webhook_queue', at: queued(event) })),
      ],
    },
  ]
}

/** What the one writer of a transaction writes again at every move. */
const changing = ['status', 'expected_from', 'expected_to', 'from_amount', 'to_amount', 'country', 'quote_number', 'moves']
  .concat(['events', 'errors', 'output_hash', 'partner_customer_id', 'customer_id', 'personal', 'quote_expires_at'])
  .concat(['expires_at', 'updated_at'])

const job = (kind: string, slot: number, runAt: Cell = value('2026-01-01T00:00:00Z')): Row => ({
  kind: value(kind),
  key: extra(slot, 'text'),
  timebase: value('business'),
  run_at: runAt,
  lease_until: value('2026-01-01T00:00:10Z'),
  fence: value('1'),
})

const done = (kind: string, slot: number): Part => ({ remove: 'jobs', at: pick(job(kind, slot), 'kind', 'key') })

const same = (a: Cell | undefined, b: Cell | undefined): boolean => {
  if (!a || !b) return false
  if ('own' in a) return 'own' in b && a.own.slot === b.own.slot
  return 'value' in b && String(a.value) === String(b.value)
}
