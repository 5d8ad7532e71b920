import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { arrive, assertBooksHold, buy, read } from '../support/journey.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { until } from '../support/telling.ts'

const hour = 3_600_000

/** Sets the clock of a machine, as a process sees it: what only goes forward is right. */
const wrongBy = (ms: number): string => {
  const source = `const real = Date; const now = () => real.now() + ${ms}
    globalThis.Date = class extends real { constructor(...at) { super(...(at.length ? at : [now()])) } static now() { return now() } }`
  return `--import=data:text/javascript,${encodeURIComponent(source)}`
}

for (const [what, ms] of [
  ['an hour ahead', hour],
  ['an hour behind', -hour],
] as const) {
  describe(`a worker whose machine's clock is ${what}`, () => {
    let exchange: Exchange
    let wrong: ServedExchange
    before(async () => {
      exchange = await startExchange({ RATE_LIMITS: 'off', ROLES: 'api', CONFIRMATIONS: 'BTC=1' }, steady)
      wrong = await serveExchange({
        DATABASE_URL: exchange.ownerUrl,
        DATA_DIR: exchange.dataDir,
        CONFIRMATIONS: 'BTC=1',
        NODE_OPTIONS: wrongBy(ms),
      })
    })
    after(async () => {
      await wrong.remove()
      await exchange.stop()
    })

    it('says so, and decides by the database’s time: orders that are paid in time finish', async () => {
      const ids = await Promise.all(Array.from({ length: 5 }, async () => (await buy(exchange)).id))
      for (const id of ids) await arrive(exchange, id, 'finished')
      for (const id of ids) assert.deepEqual((await read(exchange, id)).errors, [])
      await until(() => wrong.output().includes("Our clock and the database's differ"), 'the difference in the log')
      await assertBooksHold(exchange)
    })
  })
}
