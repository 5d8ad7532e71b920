import type { PairStatus } from '../../markets/status.ts'
import { readPair } from '../../markets/pair.ts'
import type { Answer, Invocation, Json } from './command.ts'
import { WrongUsage } from './command.ts'

export const show = (input: Invocation): Promise<Answer> =>
  input.exchange(async ({ markets, clock }) => {
    const [text] = input.args
    const wanted = text === undefined ? undefined : readPair(text)
    if (text !== undefined && !wanted)
      throw new WrongUsage(`${text} is not a pair of known currencies, such as BTC/EUR.`)
    const all = markets.pairs(clock.now())
    const shown = wanted ? all.filter(({ pair }) => readPair(pair)?.name === wanted.name) : all
    return { json: shown.map(jsonOf), text: shown.map(textOf).join('\n') || 'No market pair has had a price.' }
  })

/** `why` says why a pair is halted, or why a source is left out. A bid and an ask are decimal texts. */
const jsonOf = ({ pair, bid, ask, at, state, why, sources }: PairStatus): Json => ({
  pair,
  bid,
  ask,
  at: at?.toISOString() ?? null,
  state,
  why,
  sources: sources.map((one) => ({
    name: one.name,
    bid: one.bid,
    ask: one.ask,
    age_ms: one.ageMs,
    used: one.used,
    why: one.why,
  })),
})

function textOf({ pair, bid, ask, state, why, sources }: PairStatus): string {
  const lines = sources.map(({ name, bid: low, ask: high, ageMs, why: reason }) => {
    const price = low === null ? 'no price' : `${low} / ${high}, ${ageMs} ms old`
    return `  ${name}: ${price}${reason === null ? '' : `, left out: ${reason}`}`
  })
  return [
    `${pair}: ${state}${why === null ? '' : ` (${why})`}${bid === null ? '' : `, ${bid} / ${ask}`}`,
    ...lines,
  ].join('\n')
}
