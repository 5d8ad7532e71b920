import { receiveRailEvents } from '../../src/exchange/settlement/rail-event.ts'
import type { RailEvent } from '../../src/rails/rail.ts'
import type { Exchange } from './exchange.ts'
import { settled } from './journey.ts'

/** A fact as a test tells it: of 100 EUR at the card processor, as far as nothing else is said. */
export type ToldFact = Partial<RailEvent & { rail: string }> & Pick<RailEvent, 'key' | 'kind' | 'reference' | 'payment'>

/** Lets rails tell something, in one delivery. What they say that they hold is another matter. */
export async function tellFacts({ service }: Exchange, ...facts: ToldFact[]): Promise<void> {
  const { ctx } = service.composition
  const whole = facts.map((fact) => ({ rail: 'sandbox-card', asset: 'EUR-EUR', amount: 10_000n, body: {}, ...fact }))
  await ctx.db.atomic((db) => receiveRailEvents(ctx, db, whole))
}

/** The same, and waits until everything that was told is dealt with. */
export async function tellAndSettle(exchange: Exchange, ...facts: ToldFact[]): Promise<void> {
  await tellFacts(exchange, ...facts)
  await settled(exchange)
}
