import { receiveRailEvents } from '../../src/exchange/settlement/rail-event.ts'
import type { RailEvent } from '../../src/rails/rail.ts'
import { callbackOwed, queueCallbacks } from '../../src/sandbox/callback.ts'
import { type Action, onDeal } from './action.ts'
import type { Deal, Stage } from './stage.ts'
import type { Worker } from './worker.ts'

/** A payment that a rail has told of and that is booked. */
type Told = { rail: string; reference: string; payment: string; asset: string; amount: string }

async function bookedOf({ ask }: Stage, { publicId }: Deal): Promise<Told | undefined> {
  const rows = await ask<Told>(
    `select deposits.rail, rail_events.reference, deposits.payment, deposits.asset, deposits.amount::text
     from deposits join rail_events on rail_events.id = event_id join transactions on transactions.id = deposits.transaction_id
     where public_id = $1 order by deposits.id desc limit 1`,
    [publicId],
  )
  return rows[0]
}

/** Tells facts as if a rail had called: signed, and not true. */
const tell = ({ composition: { ctx } }: Worker, facts: (RailEvent & { rail: string })[]): Promise<void> =>
  ctx.db.atomic((db) => receiveRailEvents(ctx, db, facts))

const saying = (
  name: string,
  weight: number,
  lie: (told: Told, stage: Stage, deal: Deal) => Partial<RailEvent>,
): Action =>
  onDeal(
    name,
    weight,
    ({ deposits }) => deposits > 0,
    async (stage, worker, deal) => {
      const told = await bookedOf(stage, deal)
      if (!told) return 'nothing told'
      const { rail, reference, payment, asset, amount } = told
      const said = {
        kind: 'deposit_final',
        reference,
        payment,
        asset,
        amount: BigInt(amount),
        ...lie(told, stage, deal),
      } as const
      const key = `lie ${stage.dice.below(1_000_000)}`
      await tell(worker, [{ ...said, rail, key, body: { payment: said.payment, status: 'LIE' } }])
      return undefined
    },
  )

/** A payout of which its rail has said that it came back. */
async function returnedOf({ ask }: Stage, { publicId }: Deal): Promise<Told | undefined> {
  const rows = await ask<Told>(
    `select rail_events.rail, reference, payment, rail_events.asset, rail_events.amount::text
     from rail_events join plans on plans.rail = rail_events.rail and plan_key = rail_events.reference join payouts on plan_id = plans.id
     join transactions on transactions.id = payouts.transaction_id
     where rail_events.kind = 'payout_returned' and public_id = $1 order by rail_events.id desc limit 1`,
    [publicId],
  )
  return rows[0]
}

/** Takes a word of a rail off its way, for now. */
async function silence(stage: Stage): Promise<string> {
  const { dice, ask, silenced } = stage
  const skip = dice.below(3)
  const rows = await ask<{ rail: string; body: string }>(
    `delete from sandbox.callbacks where id = (select id from sandbox.callbacks order by id offset $1 limit 1)
     returning rail, body::text as body`,
    [skip],
  )
  silenced.push(...rows)
  return rows[0]?.rail ?? 'nothing'
}

/** Brings what was kept back, as rails do that were never answered. */
export async function tellSilenced({ silenced }: Stage, { composition: { ctx }, sandbox }: Worker): Promise<void> {
  const dueAt = ctx.clock.realNow()
  await ctx.db.atomic((db) =>
    queueCallbacks(
      sandbox.world,
      db,
      silenced.map(({ rail, body }) => ({ rail, message: JSON.parse(body) as Record<string, string>, dueAt })),
    ),
  )
  silenced.length = 0
}

/** What rails do by themselves: they lie, fall silent, and tell things late and in another order. */
export const railActions: readonly Action[] = [
  saying('tell of more', 2, ({ amount }) => ({ amount: BigInt(amount) * 2n })),
  saying('tell of less', 1, () => ({ amount: 1n })),
  saying('tell of nothing', 1, () => ({ amount: 0n, payment: 'nothing' })),
  saying('tell of what nobody knows', 1, () => ({ asset: 'FOO-BAR', payment: 'unheard of' })),
  saying('take back too much', 1, ({ amount }) => ({ kind: 'deposit_reversed', amount: BigInt(amount) * 3n })),
  saying('take back other money', 1, ({ asset }) => ({
    kind: 'deposit_reversed',
    asset: asset === 'EUR-EUR' ? 'GBP-GBP' : 'EUR-EUR',
  })),
  saying('say a word', 1, () => ({ kind: 'unknown' })),
  onDeal(
    'say again that it came back',
    2,
    ({ details }) => details === 'address_needed',
    async (stage, worker, deal) => {
      const told = await returnedOf(stage, deal)
      if (!told) return 'nothing told'
      const key = `lie ${stage.dice.below(1_000_000)}`
      const amount = BigInt(told.amount) * (stage.dice.chance(50) ? 1n : 2n)
      await tell(worker, [{ ...told, kind: 'payout_returned', key, amount, body: { payment: told.payment } }])
      return undefined
    },
  ),
  { name: 'fall silent', weight: 2, isPossible: ({ deals }) => deals.length > 0, run: silence },
  {
    name: 'tell late',
    weight: 3,
    isPossible: ({ deals }) => deals.length > 0,
    run: async ({ dice, ask }) => {
      const [skip, seconds] = [dice.below(4), 1 + dice.below(40)]
      await ask(
        `update jobs set run_at = run_at + $3 * interval '1 second'
         where id = (select id from jobs where kind = $1 and lease_until is null order by id offset $2 limit 1)`,
        [callbackOwed, skip, seconds],
      )
      return `${seconds} s`
    },
  },
]
