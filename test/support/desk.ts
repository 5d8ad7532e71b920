import type { TestContext } from 'node:test'

import { type JsonServer, startJsonServer } from './json-server.ts'

/** A desk's server: `prices` are its middles by pair, in hundredths; `edit` changes a book before it is sent. */
export type Desk = JsonServer & {
  prices: Record<string, bigint>
  edit: ((book: Record<string, unknown>) => Record<string, unknown>) | undefined
}

/** Starts a desk that answers with its prices, a hundredth of a percent wide on each side, at the time of the request. */
export async function startDesk(t: Pick<TestContext, 'after'>, prices: Record<string, bigint>): Promise<Desk> {
  const server = await startJsonServer(t, () => ({ json: Object.fromEntries(Object.entries(desk.prices).map(bookOf)) }))
  const bookOf = ([pair, middle]: [string, bigint]): [string, unknown] => {
    const half = middle / 10_000n
    const book = { bid: inWhole(middle - half), ask: inWhole(middle + half), at: new Date().toISOString() }
    return [pair, desk.edit ? desk.edit(book) : book]
  }
  const desk: Desk = Object.assign(server, { prices: { ...prices }, edit: undefined })
  return desk
}

const inWhole = (hundredths: bigint): string => {
  const digits = hundredths.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
