import { startHelper, type HelperProcess } from './helper-process.ts'
import { compare, type Line } from './line.ts'
import type { LoadDone, LoadOrder } from './load.ts'
import type { OwnExchange } from './own-exchange.ts'
import type { RowsDone, RowsOrder } from './plain-rows.ts'
import { size } from './size.ts'

const atOnce = 16
const roundMs = size(4_000, 100)

/**
 * Creates per second over HTTP, 16 at once, compared with a bare script that writes the rows of a create, 16 at once, each with its
 * own commit: `begin`, the inserts and `commit` in one go over a pipeline. Both durable, on the same server. The
 * partner has no endpoint: events of creates are part of the whole buys.
 */
export async function benchCreates(
  { origin, keys }: OwnExchange,
  rows: HelperProcess<RowsOrder, RowsDone>,
): Promise<Line[]> {
  const load = startHelper<LoadOrder, LoadDone>('load.js')
  const order = {
    kind: 'repeat',
    origin,
    key: keys.second_partner.secret_key,
    connections: atOnce,
    ms: roundMs,
  } as const
  try {
    return [
      await compare(
        'create',
        () => load.ask({ ...order, expect: 201, what: { kind: 'create' } }),
        () => rows.ask({ kind: 'creates', lanes: atOnce, ms: roundMs }),
        'a second',
      ),
    ]
  } finally {
    load.end()
  }
}
