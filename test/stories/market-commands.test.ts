import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

type Shown = { pair: string; bid: string | null; state: string; why: string | null; sources: { used: boolean }[] }

let exchange: Exchange
let command: CommandLine
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  command = commandLineOf(exchange)
})
after(() => exchange.stop())

const show = async (): Promise<Shown> => {
  const [pair, ...others] = await command.told<Shown[]>('market', 'show', 'eur/btc')
  assert.ok(pair && others.length === 0)
  return pair
}
const statusOf = async (from: string, to: string): Promise<number> =>
  (await exchange.api(`/v1/estimate?from_currency=${from}&to_currency=${to}&from_amount=100&n=${performance.now()}`))
    .status

describe('cambio market', () => {
  it('halts a pair in both directions within two seconds, and resumes it; both are audited', async () => {
    assert.deepEqual([(await show()).state, await statusOf('EUR', 'BTC')], ['open', 200])
    const halted = await command.told('market', 'halt', 'BTC/EUR', '--reason', 'a drill')
    const begun = performance.now()
    assert.deepEqual(halted, { pair: 'BTC/EUR', state: 'halted' })
    await until(async () => (await statusOf('EUR', 'BTC')) === 400, 'the halt')
    assert.ok(performance.now() - begun < promised(2_000))
    assert.equal(await statusOf('EUR', 'ETH'), 200, 'other pairs stay open')
    assert.equal(await statusOf('USD', 'BTC'), 200)
    const { state, why } = await show()
    assert.deepEqual([state, why], ['halted', 'a drill'])

    const again = await command.cambio('market', 'halt', 'BTC/EUR', '--reason', 'once more')
    assert.match(again.err, /halted already/)
    await command.told('market', 'resume', 'BTC/EUR', '--reason', 'checked')
    await until(async () => (await statusOf('EUR', 'BTC')) === 200, 'the end of the halt')
    const audit = await command.told<{ action: string }[]>('audit', 'list', '--limit', '10')
    const actions = audit.map(({ action }) => action).filter((action) => action.startsWith('market.'))
    assert.deepEqual(actions, ['market.resumed', 'market.halted'])
  })

  it('refuses what is no pair of known currencies, and what is not halted', async () => {
    assert.equal((await command.cambio('market', 'show', 'BTC/FOO')).exitCode, 2)
    assert.match((await command.cambio('market', 'halt', 'BTC', '--reason', 'x')).err, /not a pair/)
    assert.match((await command.cambio('market', 'resume', 'BTC/EUR', '--reason', 'x')).err, /not halted/)
  })
})
