import type { Gauge, Reading } from '../doors/api/admin.ts'
import type { Ctx } from '../exchange/context.ts'
import { listNeeds, type Need } from '../exchange/needs/list-needs.ts'
import { needCauses } from '../exchange/needs/sources.ts'
import { remembered } from './remembered.ts'

/** What needs a person, in numbers. */
export function needGauges(ctx: Ctx): Gauge[] {
  const needs = remembered(() => listNeeds(ctx))
  return [
    {
      name: 'stuck',
      help: 'What needs a person (at most 1000 are counted of each cause).',
      labels: ['kind', 'cause'],
      read: async () => perCause(await needs(), (own) => own.length),
    },
    {
      name: 'stuck_oldest_seconds',
      help: 'For how long the oldest of them has lasted; 0 without any.',
      labels: ['kind', 'cause'],
      read: async () => perCause(await needs(), longest),
    },
    {
      name: 'stuck_stake_eur',
      help: 'What is at stake in them, in EUR, as far as there is a price.',
      labels: ['kind', 'cause'],
      read: async () => perCause(await needs(), stake),
    },
  ]
}

/** A value for every cause, so that an alarm can tell none from not known. */
const perCause = (needs: Need[], value: (own: Need[]) => number): Reading[] =>
  needCauses.map(({ kind, cause }) => ({
    labels: [kind, cause],
    value: value(needs.filter((one) => one.kind === kind && one.cause === cause)),
  }))

const longest = (own: Need[]): number => Math.max(0, ...own.map(({ lastedMs }) => Math.round(lastedMs / 1_000)))

/** Whole euros and cents, for charts only. */
const stake = (own: Need[]): number =>
  Number.parseInt(String(own.reduce((sum, { stakeEurCents }) => sum + (stakeEurCents ?? 0n), 0n)), 10) / 100
