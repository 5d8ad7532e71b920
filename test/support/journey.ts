import assert from 'node:assert/strict'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import type { Answer, Asking, Exchange } from './exchange.ts'
import { asOwner, askOwner } from './server.ts'
import { offences } from './strict-types.ts'
import { until } from './telling.ts'

/** A refusal as partners read it. */
export type Refused = {
  statusCode: number
  code: string
  message: string
  errors: { path: string; code: string; message: string; min?: string; max?: string }[]
  request_id: string
}

/** What a create says beside the usual: 100 EUR in bitcoin. */
export type Body = { [field: string]: unknown }

/** Creates a buy, which must succeed. */
export async function create(
  exchange: Pick<Exchange, 'api'>,
  body: Body = {},
  asking: Asking = {},
): Promise<TransactionRecord> {
  const whole = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC', ...body }
  return made(await exchange.api<TransactionRecord>('/v1/transaction', { body: whole, ...asking }))
}

/** Lets a test customer complete the checkout. */
export const checkOut = async (exchange: Exchange, id: string, body: Body = {}): Promise<TransactionRecord> =>
  made(await exchange.api<TransactionRecord>(`/v1/sandbox/transaction/${id}/checkout`, { body }))

/** Lets a test customer pay. */
export const pay = async (
  exchange: Exchange,
  id: string,
  body: Body = {},
): Promise<{ deposit_id: string; hash: string }> =>
  made(await exchange.api<{ deposit_id: string; hash: string }>(`/v1/sandbox/transaction/${id}/deposit`, { body }))

/** Lets a rail misbehave. */
export async function railEvent(exchange: Exchange, id: string, type: string): Promise<void> {
  made(await exchange.api(`/v1/sandbox/transaction/${id}/rail-event`, { body: { type } }))
}

/** Moves business time, and tells what was run. */
export const advance = async (exchange: Exchange, duration: string): Promise<{ now: string; ran: number }> =>
  made(await exchange.api<{ now: string; ran: number }>('/v1/sandbox/clock', { body: { advance: duration } }))

function made<Answered>({ status, body }: Answer<Answered>): Answered {
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** The record as the partner's secret key reads it now. */
export async function read(exchange: Pick<Exchange, 'api'>, id: string): Promise<TransactionRecord> {
  const { status, body } = await exchange.api<TransactionRecord>(`/v1/transaction/${id}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Waits, at most five minutes, until a transaction has come to a status, and gives its record. */
export async function arrive(exchange: Pick<Exchange, 'api'>, id: string, status: string): Promise<TransactionRecord> {
  let record = await read(exchange, id)
  await until(async () => {
    record = await read(exchange, id)
    return record.status === status
  }, `${id} to become ${status}`)
  return record
}

/** Waits until a record is as wanted, and gives it. */
export async function seen(
  exchange: Pick<Exchange, 'api'>,
  id: string,
  what: string,
  isSo: (record: TransactionRecord) => boolean | Promise<boolean>,
): Promise<TransactionRecord> {
  let record = await read(exchange, id)
  await until(async () => {
    record = await read(exchange, id)
    return isSo(record)
  }, what)
  assert.deepEqual(offences('transaction', record), [])
  return record
}

/** What is owed to a transaction's customer of an asset. */
export const owed = async (exchange: Pick<Exchange, 'ownerUrl'>, id: string, asset: string): Promise<bigint> =>
  -(await bookBalance(exchange, `customer:${id}`, asset))

/** Waits until every fact that was told has been dealt with. */
export const settled = (exchange: Pick<Exchange, 'ownerUrl'>): Promise<void> =>
  until(
    async () => (await lookup(exchange, `select 1 from jobs where kind = 'fact.received'`)).length === 0,
    'every fact to be settled',
  )

/** The statuses that a transaction went through. */
export const statusesOf = ({ status_history: history }: TransactionRecord): string[] =>
  history.map(({ status }) => status)

/** A buy that is ready to be paid. */
export async function readyToPay(exchange: Exchange, body: Body = {}): Promise<TransactionRecord> {
  const { id } = await create(exchange, body)
  return checkOut(exchange, id)
}

/** A buy from its beginning to `finished`. */
export async function buy(exchange: Exchange, body: Body = {}): Promise<TransactionRecord> {
  const { id } = await readyToPay(exchange, body)
  await pay(exchange, id)
  return arrive(exchange, id, 'finished')
}

/** Everything that must always hold, holds. */
export async function assertBooksHold({ service }: Pick<Exchange, 'service'>): Promise<void> {
  assert.deepEqual(await verify(service.composition.ctx), [])
}

/**
 * Runs SQL as the owner of the tables, behind the service's back. `bigint` and `numeric` come as text. Tries again where the
 * service's own work has locked the same tables in another order.
 */
export async function lookup<Row extends object = Record<string, unknown>>(
  exchange: Pick<Exchange, 'ownerUrl'>,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  try {
    return await askOwner<Row>(exchange.ownerUrl, sql, values)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '40P01') return lookup(exchange, sql, values)
    throw error
  }
}

/** The reference that the customer of a transaction was given last. */
export async function referenceOf(exchange: Pick<Exchange, 'ownerUrl'>, id: string): Promise<string> {
  const [row] = await lookup<{ reference: string }>(
    exchange,
    `select reference from deposit_instructions join transactions on transactions.id = transaction_id
     where public_id = $1 order by deposit_instructions.id desc`,
    [id],
  )
  return row?.reference ?? assert.fail('No reference was given.')
}

/** Nothing is booked for a transaction until `work` is done. */
export const whileLocked = (
  { ownerUrl }: Pick<Exchange, 'ownerUrl'>,
  id: string,
  work: () => Promise<void>,
): Promise<void> =>
  asOwner(ownerUrl, async (client) => {
    await client.query('begin')
    await client.query('select 1 from transactions where public_id = $1 for update', [id])
    await work()
    await client.query('rollback')
  })

/** What an account of the books holds of an asset, debits counting up, by the auditor's view. */
export async function bookBalance(
  exchange: Pick<Exchange, 'ownerUrl'>,
  account: string,
  asset: string,
): Promise<bigint> {
  const [row] = await lookup<{ amount: string }>(
    exchange,
    'select coalesce(sum(amount), 0) as amount from audit_postings where account = $1 and asset = $2',
    [account, asset],
  )
  return BigInt(row?.amount ?? '0')
}

/** An event as the feed has it. */
export type Told<Payload> = { type: string; payload: Payload }

/** All that was told of a transaction, in the order of the feed, once that has everything. */
export async function eventsOf<Payload extends { id: string }>(
  exchange: Pick<Exchange, 'api' | 'ownerUrl'>,
  id: string,
): Promise<Told<Payload>[]> {
  let told: Told<Payload>[] = []
  await until(async () => {
    const [written] = await lookup<{ count: number }>(
      exchange,
      'select count(*)::integer as count from events where stream = $1',
      [id],
    )
    told = []
    for (let after: string | undefined = ''; after !== undefined;) {
      type Page = { data: Told<Payload>[]; next_after: string; has_more: boolean }
      const query: string = after === '' ? '' : `&after=${after}`
      const { body }: Answer<Page> = await exchange.api<Page>(`/v1/events?limit=100${query}`)
      told.push(...body.data.filter(({ payload }) => payload.id === id))
      after = body.has_more ? body.next_after : undefined
    }
    return told.length === written?.count
  }, 'the feed to have every event')
  return told
}
