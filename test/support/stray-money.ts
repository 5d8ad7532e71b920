import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import type { Exchange } from './exchange.ts'
import { until } from './telling.ts'

/** Sends money that is nobody's, waits until something lies in suspense that did not before, and gives its deposit. */
export async function strayDeposit({ service }: Exchange, send: () => Promise<unknown>): Promise<bigint> {
  const { ctx } = service.composition
  const known = new Set((await listSuspense(ctx)).map(({ id }) => id))
  await send()
  const fresh: bigint[] = []
  await until(async () => {
    fresh.push(...(await listSuspense(ctx)).map(({ id }) => id).filter((id) => !known.has(id)))
    return fresh.length > 0
  }, 'suspense')
  return fresh[0] ?? 0n
}
