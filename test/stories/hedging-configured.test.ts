import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { checkConfigFile } from '../../src/app/config/file.ts'
import { runCommand } from '../support/command.ts'
import { startExchange } from '../support/exchange.ts'
import { assertBooksHold, bookBalance, buy } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { krakenKey } from '../support/venues/kraken.ts'
import { startTradingKraken } from '../support/venues/trading-kraken.ts'

type Listed = { id: string; state: string; side: string; amount: string; filled: string; needs_approvals: number }

test('CONFIG_FILE connects a venue: its account is opened by command, a hedge is approved and filled there, and is booked', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-treasury-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { core, server } = await startTradingKraken(t)
  writeFileSync(join(folder, 'key'), krakenKey.apiKey)
  writeFileSync(join(folder, 'secret'), krakenKey.secret)
  const file = join(folder, 'config.yaml')
  writeFileSync(
    file,
    `treasury:
  hedging: propose
  venue: kraken
  api_key: file:key
  secret: file:secret
  urls: { api: "${server.url}" }
  pairs: [BTC/EUR]
  every: PT0.3S
  bounds: { BTC: { minimum: "0.0005", lot: "0.0001" } }
`,
  )
  const exchange = await startExchange({ CONFIG_FILE: file, RATE_LIMITS: 'off' })
  t.after(() => exchange.stop())
  const env = { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir, CONFIG_FILE: file }
  const cambio = (...args: string[]) => runCommand(args, env)
  const listed = async (): Promise<Listed[]> => {
    const { out, err } = await cambio('hedge', 'list', '--json')
    assert.equal(err, '')
    return JSON.parse(out) as Listed[]
  }
  const open = [
    'balance',
    'open',
    '--account',
    'kraken',
    '--asset',
    'EUR-EUR',
    '--amount',
    '10000',
    '--reason',
    'funded',
  ]
  const opened = await cambio(...open)
  assert.deepEqual([opened.exitCode, opened.err], [0, ''])

  await buy(exchange, { from_amount: '300' })
  await until(async () => (await listed()).length > 0, 'a hedge to be proposed')
  const [proposed] = await listed()
  assert.deepEqual([proposed?.state, proposed?.side, proposed?.needs_approvals], ['proposed', 'buy', 1])
  assert.equal(core.received.length, 0)
  const approved = await cambio('hedge', 'approve', proposed?.id ?? '', '--json')
  assert.deepEqual([approved.exitCode, approved.err], [0, ''])
  await until(async () => (await listed())[0]?.state === 'filled', 'the hedge to be filled')
  const [filled] = await listed()
  assert.equal(filled?.filled, filled?.amount)
  assert.equal(core.received.length, 1)
  assert.equal(await bookBalance(exchange, 'held:kraken', 'BTC-BTC'), (core.balances.get('BTC') ?? 0n) / 10n ** 10n)
  await assertBooksHold(exchange)
})

test('what is wrong in the section treasury is named', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-treasury-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'config.yaml')
  const problemsOf = (text: string): string[] => {
    writeFileSync(file, text)
    return checkConfigFile(file, { KEY: 'x' }).problems.map(({ path, message }) => `${path} ${message}`)
  }
  assert.deepEqual(problemsOf('treasury: { hedging: off }'), [])
  assert.deepEqual(problemsOf('treasury: { hedging: auto, venue: kraken, api_key: env:KEY }'), [
    'treasury.secret is required unless hedging is off',
    'treasury.pairs is required unless hedging is off',
  ])
  const whole = 'hedging: auto, venue: kraken, api_key: env:KEY, secret: env:KEY'
  assert.deepEqual(problemsOf(`treasury: { ${whole}, pairs: [BTC/EUR, BTC/USD] }`), [
    'treasury.pairs[1] hedges a currency that an earlier pair hedges',
  ])
  assert.deepEqual(
    problemsOf(
      `treasury: { hedging: off, levels: [{ account: a, asset: BTC-BTC, target: "1", surplus_to: b, refill_from: c }] }`,
    ),
    [
      'treasury.levels[0].surplus_to is not a listed destination of this asset',
      'treasury.levels[0].account is refilled, and no listed destination of this asset',
    ],
  )
  assert.equal(problemsOf('treasury: { hedging: sometimes }').length, 1)
})
