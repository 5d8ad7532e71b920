import { isQuick, size } from './size.ts'

/** One result: our number and its limit (a bare program doing the same in the same run, or a budget). */
export type Line = { name: string; ours: number; limit: number; ratio: number; unit: string; note?: string }

/** Makes a line; `ratio` is ours over the limit. */
export const line = (name: string, ours: number, limit: number, unit: string, note?: string): Line => ({
  name,
  ours: rounded(ours),
  limit: rounded(limit),
  ratio: Math.round((ours / limit) * 1_000) / 1_000,
  unit,
  ...(note === undefined ? {} : { note }),
})

const rounded = (value: number): number => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100)

/** A line as it is printed. */
export const printed = ({ name, ours, limit, ratio, unit, note }: Line): string =>
  `${name} ours=${ours} limit=${limit} ratio=${ratio} ${unit}${note ? ` (${note})` : ''}`

/** Something that is measured in rounds: so much done in so long. */
export type Measured = () => Promise<{ count: number; ms: number }>

const rounds = isQuick ? 2 : size(3, 1)

/**
 * Measures both sides in turn (ours, limit, ours, limit, ...), so that what else the machine does meets both, and compares the
 * best round of each: noise only ever makes a round worse.
 */
export async function compare(
  name: string,
  ours: Measured,
  limit: Measured,
  unit: string,
  note?: string,
): Promise<Line> {
  const best = { ours: 0, limit: 0 }
  for (let round = 0; round < rounds; round += 1) {
    best.ours = Math.max(best.ours, perSecond(await ours()))
    best.limit = Math.max(best.limit, perSecond(await limit()))
  }
  return line(name, best.ours, best.limit, unit, note)
}

const perSecond = ({ count, ms }: { count: number; ms: number }): number => (count * 1_000) / ms
