import { type Line, line } from './line.ts'
import { copyTransaction } from './many-transactions.ts'
import { type OwnExchange, removeDataDir, startOwnExchange } from './own-exchange.ts'
import { size } from './size.ts'

const transactions = size(1_000_000, 1_000)
const rowsAPage = size(100, 10)
const deepPage = size(1_000, 5)
const rounds = size(200, 2)

/** The limit of every list: the first page without a filter. Median times. */
const atMost = 'at most 1.2'

/**
 * Pages of 100 out of a million transactions of one partner, as the partner's program asks for them: the thousandth by the cursor
 * compared with the first, in both orders, and the first page under each filter. Every page is asked for in turn with the first.
 */
export async function benchTransactionList(): Promise<Line[]> {
  const exchange = await startOwnExchange()
  try {
    const { id, created_at: last } = await createOne(exchange)
    await copyTransaction(exchange, id, transactions)
    const hour = 3_600_000
    const since = new Date(Date.parse(last) - hour).toISOString()
    const day = new Date(Date.parse(last) - 5 * 24 * hour).toISOString().slice(0, 10)
    const asked: [name: string, query: string, note: string][] = [
      ['transaction-list-page-1000', await deepCursor(exchange, ''), atMost],
      ['transaction-list-page-1000-oldest-first', await deepCursor(exchange, '&sorting=asc'), atMost],
      ['transaction-list-page-1000-by-status', await deepCursor(exchange, '&status=finished'), atMost],
      ['transaction-list-rare-status', '&status=on_hold', '100 in a million'],
      ['transaction-list-one-link', '&external_partner_link_id=copy-7', '50 in a million'],
      ['transaction-list-one-day', `&from_date=${day}&to_date=${day}`, 'created on one day'],
      ['transaction-list-changed-in-an-hour', `&updated_from_date=${since}`, 'the first of 39 pages'],
      ['transaction-list-offset-100000', `&offset=${transactions / 10}`, 'the farthest that can be asked for'],
    ]
    const lines: Line[] = []
    for (const [name, query, note] of asked) lines.push(await besideFirst(exchange, name, query, note))
    return lines
  } finally {
    await exchange.stop()
    await removeDataDir(exchange.dataDir)
  }
}

type Page = { data: unknown[]; pagination: { next_cursor: string | null } }

async function ask({ origin, keys }: OwnExchange, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${origin}/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-api-key': keys.secret_key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!answer.ok) throw new Error(`${path} was refused: ${await answer.text()}`)
  return answer.json()
}

const listed = (exchange: OwnExchange, query: string): Promise<Page> =>
  ask(exchange, `transactions?limit=${rowsAPage}${query}`) as Promise<Page>

const createOne = (exchange: OwnExchange): Promise<{ id: string; created_at: string }> =>
  ask(exchange, 'transaction', {
    from_amount: 100,
    from_currency: 'EUR',
    to_currency: 'BTC',
    customer: { contact_info: { email: 'ada@example.com' } },
  }) as Promise<{ id: string; created_at: string }>

/** The query of the thousandth page, come to page by page. */
async function deepCursor(exchange: OwnExchange, query: string): Promise<string> {
  let deep = query
  for (let page = 1; page < deepPage; page += 1) {
    const { pagination } = await listed(exchange, deep)
    if (!pagination.next_cursor) throw new Error(`The list ends at page ${page}.`)
    deep = `${query}&cursor=${pagination.next_cursor}`
  }
  return deep
}

async function besideFirst(exchange: OwnExchange, name: string, query: string, note: string): Promise<Line> {
  const ours: number[] = []
  const first: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await timeOf(exchange, query))
    first.push(await timeOf(exchange, ''))
  }
  return line(name, median(ours), median(first), 'ms', note)
}

async function timeOf(exchange: OwnExchange, query: string): Promise<number> {
  const start = performance.now()
  await listed(exchange, query)
  return performance.now() - start
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
