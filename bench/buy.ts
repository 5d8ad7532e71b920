import { setTimeout as wait } from 'node:timers/promises'

import { openConnection, requestBytes } from './connection.ts'
import { startHelper, type HelperProcess } from './helper-process.ts'
import { compare, type Line, line } from './line.ts'
import { createBody, type LoadDone, type LoadOrder } from './load.ts'
import type { OwnExchange } from './own-exchange.ts'
import type { RowsDone, RowsOrder } from './plain-rows.ts'
import type { ReceiverDone, ReceiverOrder } from './receiver.ts'
import { size } from './size.ts'

/** A partner's endpoint that takes everything. */
export type Receiver = HelperProcess<ReceiverOrder, ReceiverDone>

const connections = 16
const buysARound = size(2_000, 20)
const eventsOfABuy = 5
const patienceMs = 120_000
const limitRoundMs = size(5_000, 100)
/** What is aimed at (issue 2): ten times the nearest open system's 33 whole payments a second. */
const aimASecond = 330
const latencyBuys = size(100, 3)
const latencyBudgetMs = 40

/** Starts an endpoint and has the exchange tell it everything. */
export async function startReceiver(exchange: OwnExchange): Promise<Receiver> {
  const receiver = startHelper<ReceiverOrder, ReceiverDone>('receiver.js')
  const { url } = await receiver.ask({ kind: 'listen' })
  await exchange.command('webhook', 'add', url, '--partner', exchange.keys.partner_id)
  return receiver
}

/** Makes one buy and waits until all its events were delivered. Gives its id. */
export async function oneWholeBuy({ origin, keys }: OwnExchange, receiver: Receiver): Promise<string> {
  await receiver.ask({ kind: 'forget' })
  const buyer = await openBuyer(origin, keys.secret_key)
  const id = await buyer.untilPayment()
  await buyer.pay(id)
  buyer.close()
  await receiver.ask({ kind: 'wait', events: eventsOfABuy, ms: patienceMs })
  return id
}

/** Makes many buys, 16 calls at once and as many buys in flight as it takes, and waits for the last webhook. */
export async function manyBuys({ origin, keys }: OwnExchange, receiver: Receiver, count: number): Promise<LoadDone> {
  const load = startHelper<LoadOrder, LoadDone>('load.js')
  try {
    await receiver.ask({ kind: 'forget' })
    const done = await load.ask({ kind: 'buys', origin, key: keys.secret_key, connections, count })
    const received = await receiver.ask({ kind: 'wait', events: count * eventsOfABuy, ms: patienceMs })
    return { ...done, ms: received.at - done.startedAt }
  } finally {
    load.end()
  }
}

/**
 * Whole buys per second, from the first call to the last webhook, compared with a bare script that writes the rows of a life in one
 * multi-row statement per atomic block, and with the number we aim at. Then the time from the call that pays to the
 * webhook that says so, one at a time.
 */
export async function benchBuys(
  exchange: OwnExchange,
  receiver: Receiver,
  rows: HelperProcess<RowsOrder, RowsDone>,
): Promise<Line[]> {
  const buys = await compare(
    'buy',
    () => manyBuys(exchange, receiver, buysARound),
    () => rows.ask({ kind: 'lives', lanes: connections, ms: limitRoundMs }),
    'a second',
  )
  return [
    buys,
    line('buy-beside-aim', buys.ours, aimASecond, 'a second', 'at least 1'),
    ...(await latencies(exchange, receiver)),
  ]
}

async function latencies({ origin, keys }: OwnExchange, receiver: Receiver): Promise<Line[]> {
  const buyer = await openBuyer(origin, keys.secret_key)
  const times: number[] = []
  for (let index = 0; index < latencyBuys; index += 1) {
    const id = await buyer.untilPayment()
    await wait(50)
    const received = receiver.ask({ kind: 'watch', text: `"id":"${id}","status":"exchanging"`, ms: patienceMs })
    const start = performance.timeOrigin + performance.now()
    await buyer.pay(id)
    times.push((await received).at - start)
  }
  buyer.close()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return [
    line('deposit-to-webhook-p50', at(0.5), latencyBudgetMs, 'ms', 'at most 1'),
    line('deposit-to-webhook-p99', at(0.99), latencyBudgetMs, 'ms', 'at most 1'),
  ]
}

async function openBuyer(origin: string, key: string) {
  const connection = await openConnection(origin)
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await connection.ask(requestBytes({ method: 'POST', path, key }, body))
    if (answer.status !== 201) throw new Error(`${path} ${answer.status}: ${answer.body}`)
    return answer.body
  }
  return {
    untilPayment: async (): Promise<string> => {
      const [, id = ''] = /"id":"(\d+)"/.exec(await post('/v1/transaction', createBody)) ?? []
      await post(`/v1/sandbox/transaction/${id}/checkout`, {})
      return id
    },
    pay: (id: string) => post(`/v1/sandbox/transaction/${id}/deposit`, {}),
    close: () => connection.close(),
  }
}
