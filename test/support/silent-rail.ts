import assert from 'node:assert/strict'

import type { PayoutHalf } from '../../src/rails/rail.ts'
import type { Exchange } from './exchange.ts'

/** A rail that does not say what became of payouts, until it answers again: as it knows it, or with what is given. */
export function silence({ service }: Exchange, name: string): { answer(said?: PayoutHalf['look']): void } {
  const rail = service.composition.ctx.rails.payout(name)?.payout
  assert.ok(rail)
  const { look } = rail
  Object.assign(rail, { look: () => Promise.reject(new Error('The rail does not answer.')) })
  return { answer: (said = look) => void Object.assign(rail, { look: said }) }
}
