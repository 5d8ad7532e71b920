import assert from 'node:assert/strict'

import { advice } from '../../src/exchange/reconciliation/advice.ts'
import type { Cause } from '../../src/exchange/reconciliation/compare.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import type { Exchange } from './exchange.ts'

/** What a difference is found as. */
export type Found = [kind: string, cause: Cause, amount: bigint]

/** The breaks that are open and were not before, each with advice. */
export async function foundAnew({ service }: Exchange, known: Set<bigint>): Promise<Found[]> {
  const fresh = (await reconcile(service.composition.ctx)).breaks.filter(({ id }) => !known.has(id))
  return fresh.map(({ id, kind, cause, amount }): Found => {
    known.add(id)
    assert.ok(advice[cause].length > 0)
    return [kind, cause, amount]
  })
}
