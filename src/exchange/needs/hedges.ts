import { causesOf, type Finding, type NeedSource, timesOf } from './need.ts'
import { unplacedHedges } from '../treasury/unplaced-hedges.ts'

/** Hedges whose outcome is not known. Sent in real time, which business time is never behind. */
export const unknownHedges: NeedSource = {
  kind: 'hedge',
  permission: 'money.resolve',
  causes: {
    unknown: {
      urgency: 'now',
      sentence:
        '{about} does not show an order of ours over {amount}, which may have traded. Look for it there, then say what became of it.',
    },
  },
  page: () => '/console/money',
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, hedges.id::text as subject, sent_at as since, null as "order", venue || ' ' || pair as about, base as asset,
      amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join hedges on state = wanted.cause and sent_at <= before
    order by sent_at, hedges.id limit ${look.limit}`,
}

/** What should be hedged and cannot be. */
export const missingHedges: NeedSource = {
  kind: 'hedge',
  permission: 'money.resolve',
  causes: {
    refused: {
      urgency: 'now',
      sentence:
        'A hedge of {amount} was refused: {about}. It is tried again by itself; until one is taken we bear the price of this amount. Ask the venue to look at our account.',
    },
    unfilled: {
      urgency: 'now',
      sentence:
        'Nobody at {about} trades {amount} with us at our price. It is tried again by itself; until then we bear the price of this amount. If it lasts, tell the people who run the servers.',
    },
    capped: {
      urgency: 'now',
      sentence:
        '{amount} cannot be hedged at {about}: the least that can be traded there is more than our cap for one order. Ask the people who run the servers to raise the cap; until then we bear the price of this amount.',
    },
    unpriced: {
      urgency: 'now',
      sentence:
        '{amount} cannot be hedged: {about} has no price that is young enough. It is tried again by itself; until then we bear the price of this amount. If it lasts, tell the people who run the servers.',
    },
    short: {
      urgency: 'now',
      sentence: '{amount} cannot be hedged: too little money at {about}. Until then we bear the price of this amount.',
    },
  },
  page: () => '/console/money',
  identity: ({ subject }) => `hedge of ${subject}`,
  find: async (ctx) =>
    (await unplacedHedges(ctx)).flatMap(({ pair: subject, cause, isProposed, about, since, asset, amount }) =>
      // One that waits for approval, or whose outcome is not known, is a separate need.
      isProposed || cause === 'unknown'
        ? []
        : [{ cause, subject, since, order: null, about, asset, amount, count: null }],
    ),
}
