import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import { makeSandboxAddress } from '../../src/reference/addresses/address.ts'
import { type BitcoinExchange, bitcoinPolicy, startBitcoinExchange, whileMining } from '../support/bitcoin-exchange.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, lookup, readyToPay } from '../support/journey.ts'
import { blocksOf, shellWith } from '../support/live-page.ts'
import { copyDatabase } from '../support/restored-bank.ts'
import { until } from '../support/telling.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-drill-'))
const [data, vault, etc] = ['data', 'vault', 'etc'].map((name) => join(folder, name)) as [string, string, string]
let original: TestDatabase
let backup: TestDatabase
let restored: TestDatabase
let opened: BitcoinExchange
let exchange: Exchange
let signer: ChildProcess | undefined
let mining = true
let miner = Promise.resolve()

const settingsOf = ({ ownerUrl }: TestDatabase) => ({ DATABASE_URL: ownerUrl, DATA_DIR: data })
const restart = async (database: TestDatabase): Promise<Exchange> =>
  (exchange = await startExchange({ RATE_LIMITS: 'off', ...opened.env, ...settingsOf(database) }))

/** Two approvers of the signer: their lines of the policy, and their private keys in the vault. */
function approvers(): string {
  const lines = ['ada', 'ben'].map((name) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(join(vault, `${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    return `  - { name: ${name}, public_key: "${key}" }`
  })
  return `approvers:\n${lines.join('\n')}`
}

before(async () => {
  for (const one of [data, vault, etc]) mkdirSync(one)
  ;[original, backup, restored] = await Promise.all([testDatabase(), testDatabase(), testDatabase()])
  opened = await startBitcoinExchange(
    bitcoinPolicy('1', approvers()),
    [100_000_000n, 100_000_000n, 100_000_000n],
    settingsOf(original),
  )
  ;({ exchange } = opened)
  miner = whileMining(opened.node, async () => {
    while (mining) await new Promise((resolve) => setTimeout(resolve, 200))
  })
})
after(async () => {
  mining = false
  await miner
  const ended = new Promise((resolve) => signer?.once('close', resolve) ?? resolve(undefined))
  signer?.kill('SIGTERM')
  await ended
  await exchange.stop().catch(() => undefined)
  await opened.stop().catch(() => undefined)
  rmSync(folder, { recursive: true, force: true })
})

const addressOf = (seed: string): string => makeSandboxAddress('bitcoin', Buffer.from(seed))

const buy = async (seed: string): Promise<string> =>
  (await readyToPay(exchange, { to_currency: 'BTC', payout_info: { payout_address: addressOf(seed) } })).id

const pay = (id: string) => exchange.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })

/** Why the signer refuses payouts. */
const refusals = async (): Promise<string[]> =>
  (await lookup<{ code: string }>({ ...exchange, ownerUrl: restored.ownerUrl }, 'select code from chain_refusals')).map(
    ({ code }) => code,
  )

/** How many outputs of the chain pay to an address. */
async function outputsTo(address: string): Promise<number> {
  let count = 0
  for (let height = 1; height <= opened.node.height(); height += 1) {
    const hash = await opened.node.ask<string>('getblockhash', height)
    const { tx } = await opened.node.ask<{ tx: string[] }>('getblock', hash)
    for (const txid of tx.slice(1)) {
      const { vout } = await opened.node.ask<{ vout: { scriptPubKey: { addresses?: string[] } }[] }>(
        'decoderawtransaction',
        await opened.node.raw(txid),
      )
      count += vout.filter(({ scriptPubKey }) => scriptPubKey.addresses?.includes(address)).length
    }
  }
  return count
}

const environment = join(etc, 'env')
const shell = shellWith(environment)
const wallet = async () => (await shell.run('cambio chain wallet BTC')).output
const useDatabase = (database: TestDatabase) => {
  const lines = Object.entries({ ...opened.env, ...settingsOf(database) }).map(([name, value]) => `${name}='${value}'`)
  writeFileSync(environment, `${lines.join('\n')}\n`)
}

/** Takes a backup, lets an order be paid out that it does not have, then loses the machines of the service and of the signer. */
async function lose(order: string): Promise<void> {
  await exchange.stop()
  await copyDatabase(original, backup)
  await restart(original)
  await pay(order)
  await arrive(exchange, order, 'finished')
  await exchange.stop()
  cpSync(opened.signer.folder, vault, { recursive: true, filter: (name) => !name.endsWith('.sock') })
  await opened.signer.kill()
  rmSync(opened.signer.folder, { recursive: true })
  await copyDatabase(backup, restored)
  const config = join(etc, 'exchange.yaml')
  const text = readFileSync(join(vault, 'config.yaml'), 'utf8')
  writeFileSync(config, text.replace('./signer.sock', './signer/signer.sock'))
  opened.env.CONFIG_FILE = config
  useDatabase(restored)
}

async function startSigner(code: string): Promise<void> {
  let said = ''
  signer = shell.start(code.trim())
  for (const output of [signer.stdout, signer.stderr]) output?.on('data', (text) => (said += String(text)))
  await until(() => {
    assert.equal(signer?.exitCode, null, said)
    return Promise.resolve(said.includes('The signer listens.'))
  }, 'the signer to listen')
}

it(
  'the page about chains leads from copies of keystore, journal and database to a wallet that pays each order once',
  { timeout: 900_000 },
  async () => {
    const early = await buy('early')
    await pay(early)
    await arrive(exchange, early, 'finished')
    const [lost, waiting] = [await buy('lost'), await buy('waiting')]
    useDatabase(original)
    const before = await wallet()
    await lose(lost)

    const here = (text: string) =>
      text
        .replaceAll('/var/lib/cambio-signer', join(etc, 'signer'))
        .replaceAll('/etc/cambio', etc)
        .replaceAll('/media/vault', vault)
    for (const { code } of blocksOf('docs/operator/chains.md')) {
      if (code.startsWith('cambio signer run')) {
        await startSigner(here(code))
        continue
      }
      if (code.startsWith('cambio chain wallet')) {
        await restart(restored)
        assert.equal((await exchange.api('/v1/status')).body.restored, true)
        assert.equal(await wallet(), before)
        for (const id of [lost, waiting]) {
          await pay(id)
          await arrive(exchange, id, 'exchanging')
        }
      }
      if (code.startsWith('cambio verify')) {
        await arrive(exchange, waiting, 'finished')
        await until(async () => (await refusals()).length > 0, 'the signer to refuse')
        assert.deepEqual(await refusals(), ['already_signed'])
      }
      const { code: exit, output } = await shell.run(here(code))
      assert.equal(exit, 0, `${code}\n${output}`)
    }
    const outputs = await Promise.all(['early', 'lost', 'waiting'].map((seed) => outputsTo(addressOf(seed))))
    assert.deepEqual(outputs, [1, 1, 1])
    await assertBooksHold(exchange)
  },
)
