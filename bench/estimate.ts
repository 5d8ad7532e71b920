import { startHelper } from './helper-process.ts'
import { compare, type Line, type Measured } from './line.ts'
import { estimatePath, type LoadDone, type LoadOrder } from './load.ts'
import type { OwnExchange } from './own-exchange.ts'
import type { ServerOrder } from './plain-server.ts'
import { size } from './size.ts'

const connections = 16
const roundMs = size(3_000, 100)
/** So many that an answer is hardly ever one that was given a moment ago. */
const manyAmounts = size(60_000, 100)

/**
 * Estimates per second over HTTP compared with a bare `node:http` server in its own process that answers the same bytes under
 * the same headers: once with another amount at every request, once with the one that a widget asks at every page view.
 */
export async function benchEstimates({ origin, keys }: OwnExchange): Promise<Line[]> {
  const load = startHelper<LoadOrder, LoadDone>('load.js')
  const plain = startHelper<ServerOrder, { origin: string }>('plain-server.js')
  try {
    const limit = await plain.ask(await answerOf(origin, keys.public_key))
    const asking =
      (to: string, amounts: number): Measured =>
      () =>
        load.ask({
          kind: 'repeat',
          origin: to,
          key: keys.public_key,
          connections,
          ms: roundMs,
          expect: 200,
          what: { kind: 'estimate', amounts },
        })
    const lines: Line[] = []
    for (const [name, amounts] of [
      ['estimate', manyAmounts],
      ['estimate-repeated', 1],
    ] as const) {
      lines.push(await compare(name, asking(origin, amounts), asking(limit.origin, amounts), 'a second'))
    }
    return lines
  } finally {
    load.end()
    plain.end()
  }
}

/** An answer of ours, as a bare server can give it: the same headers but those that every server adds by itself. */
async function answerOf(origin: string, key: string): Promise<ServerOrder> {
  const answer = await fetch(origin + estimatePath(10_000), { headers: { 'x-api-key': key } })
  const body = await answer.text()
  if (answer.status !== 200) throw new Error(`An estimate was refused: ${body}`)
  const headers = [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name))
  return { headers, body }
}
