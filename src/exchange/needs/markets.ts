import type { PairStatus } from '../../markets/status.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Finding, NeedSource } from './need.ts'

/** So many pairs without a price are named one by one; of more, it is the sources. */
const mostNamed = 5

/** Pairs that have no price, so that they are not offered. As this process knows the markets. */
export const closedMarkets: NeedSource = {
  kind: 'market',
  permission: 'system.halt',
  causes: {
    halted: {
      urgency: 'today',
      sentence: '{subject} is halted: {about} It is not offered to customers until somebody resumes it.',
    },
    jumped: {
      urgency: 'today',
      sentence:
        'The price of {subject} has jumped, so it is not offered to customers. It continues by itself after a minute without another jump. If it does not, ask the people who run the servers to check the price sources.',
    },
    stale: {
      urgency: 'today',
      sentence:
        '{subject} has no price that is young enough, so it is not offered to customers. Ask the people who run the servers to check the price sources.',
    },
    'all stale': {
      urgency: 'now',
      sentence:
        '{count} pairs have no price that is young enough and are not offered to customers. Ask the people who run the servers to check the price sources.',
    },
  },
  page: () => '/console/prices',
  find: async ({ db, markets, clock }, look) => {
    const now = clock.now()
    const halts = await db.sql<{ pair: string; since: Date }>`select pair, since from market_halts`
    const since = new Map(halts.map((one) => [one.pair, one.since]))
    const pairs = markets.pairs(now).filter(({ state }) => state !== 'open')
    const stale = pairs.filter(({ state }) => state === 'stale')
    const oldest = (own: readonly PairStatus[]): Date =>
      after(
        now,
        -Math.max(0, ...own.flatMap(({ sources }) => Math.min(...sources.map(({ ageMs }) => ageMs ?? 0), day))),
      )
    const row = (cause: string, subject: string, at: Date, about: string | null, count: number | null): Finding => ({
      cause,
      subject,
      since: at,
      order: null,
      about,
      asset: null,
      amount: null,
      count,
    })
    const closed = pairs.filter(({ state }) => state === 'halted')
    return [
      ...closed.map(({ pair, at, why, jumpedMs }) =>
        jumpedMs === null
          ? row('halted', pair, since.get(pair) ?? at ?? now, sentence(why), null)
          : row('jumped', pair, after(now, -jumpedMs), null, null),
      ),
      ...(stale.length > mostNamed
        ? [row('all stale', 'prices', oldest(stale), null, stale.length)]
        : stale.map((one) => row('stale', one.pair, one.at ?? oldest([one]), null, null))),
    ].slice(0, look.limit)
  },
}

const day = 86_400_000

/** With a full stop. */
const sentence = (text: string | null): string => (text === null ? '' : /[.!?]$/.test(text) ? text : `${text}.`)
