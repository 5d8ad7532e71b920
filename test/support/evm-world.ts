import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { syncAssets } from '../../src/reference/catalog/sync-assets.ts'
import { readConfig } from '../../src/app/config/config.ts'
import { openPool } from '../../src/platform/db/pool.ts'
import type { Database } from '../../src/platform/db/sql.ts'
import { type Clock, systemClock } from '../../src/platform/lib/clock.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import { deriveKeys, newMnemonic } from '../../src/rails/evm/keys.ts'
import { evmRail } from '../../src/rails/evm/rails.ts'
import type { Chain, EvmDependencies } from '../../src/rails/evm/chain.ts'
import { newFollower } from '../../src/rails/chain/follow.ts'
import { followOnce } from '../../src/rails/evm/follow.ts'
import type { Reports, Round } from '../../src/rails/two-nodes.ts'
import type { Node } from '../../src/rails/evm/node.ts'
import { openChains } from '../../src/rails/evm/open.ts'
import type { DepositHalf, PayoutHalf, Rail, RailEvent, ReportEvents } from '../../src/rails/rail.ts'
import { openSignerClient } from '../../src/rails/keys/signer-client.ts'
import { runSigner, socketIn } from '../../src/signer/open.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { testSecrets } from './test-secrets.ts'
import { testDatabase } from './database.ts'
import { signerFolder, writeCheapKeystore } from './signer-folder.ts'

/** A process of ours that has a chain: its rails, and its own way of following. */
export type EvmHouse = {
  chain: Chain
  rail: Rail
  deposit: DepositHalf
  payout: PayoutHalf
  /** Follows the chain to its end, and gives what it reported meanwhile. */
  follow(): Promise<RailEvent[]>
  /** One look only. */
  look(): Promise<Round>
}

/** Ethereum on anvil, with two processes of ours on one database, and a clock that only the test moves. */
export type EvmWorld = {
  anvil: Anvil
  db: Database
  one: EvmHouse
  other: EvmHouse
  /** What another process would stand on. */
  dependencies: EvmDependencies
  /** All that was reported, by whichever process, in its order. */
  reported: RailEvent[]
  pass(ms: number): void
  close(): Promise<void>
}

const password = 'a-password-for-tests'

/** Who holds the keys of the wallets: the service, or the process of the signer. */
export const keyHolders = ['service', 'signer'] as const
export type KeyHolder = (typeof keyHolders)[number]

/** A policy that allows whatever a world sends. */
const generous = `
caps:
${['ETH-ETH', 'USDT-ETH'].flatMap((asset) => ['transaction', 'P1D'].map((per) => `  - { asset: ${asset}, per: ${per}, max: "100000000" }`)).join('\n')}
destinations: { classes: [customer] }
test_chains: [{ network: ETH, chain_id: 31337 }]
`

/** Makes the world: transfers are final with three blocks, and the paying wallet has 100 coins. */
export async function openEvmWorld(
  settings: Record<string, string> = {},
  holder: KeyHolder = 'service',
): Promise<EvmWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-evm-'))
  const keystore = join(folder, 'evm.keystore')
  const [anvil, database] = await Promise.all([startAnvil(), testDatabase()])
  const mnemonic = await newMnemonic()
  await writeCheapKeystore(keystore, mnemonic, password)
  const { hot } = await deriveKeys(mnemonic)
  const signing = holder === 'signer' ? await startSigner(folder) : undefined
  await anvil.give(hot, 100n * 10n ** 18n)
  await anvil.mine(5)

  const db = openPool({ urls: [database.url], size: 4 })
  await syncAssets(db)
  let ahead = 0
  const realNow = (): Date => new Date(Date.now() + ahead)
  const clock: Clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined, follow: () => 0 }
  const config = readConfig({
    DATA_DIR: folder,
    CONFIRMATIONS: 'ETH=3',
    EVM_RPC_URLS: `ETH=${anvil.url}`,
    ...(signing
      ? { CONFIG_FILE: signing.configFile }
      : { EVM_KEYSTORE_FILE: keystore, EVM_KEYSTORE_PASSWORD: password }),
    ...settings,
  })
  const reported: RailEvent[] = []
  const dependencies = { config, db, clock, log: silentLog, secrets: testSecrets, signer: signing?.client }
  const open = async (): Promise<EvmHouse> => {
    const [chain] = await openChains(dependencies)
    if (!chain) throw new Error('There is no chain.')
    return houseOf(chain, reported)
  }
  const [one, other] = [await open(), await open()]
  return {
    anvil,
    db,
    one,
    other,
    dependencies,
    reported,
    pass: (ms) => {
      ahead += ms
    },
    close: async () => {
      await db.close()
      await anvil.stop()
      await signing?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs the signer in the folder, with the keystore of the wallets there. */
async function startSigner(folder: string) {
  await signerFolder(folder, await newMnemonic(), generous)
  writeFileSync(join(folder, 'evm.keystore-password'), password, { mode: 0o600 })
  const configFile = join(folder, 'cambio.yaml')
  writeFileSync(configFile, 'custody: { signer: { socket: ./signer.sock } }\n')
  const { stop } = await runSigner(folder, { clock: systemClock(), log: silentLog })
  return { configFile, client: openSignerClient(socketIn(folder)), stop }
}

function houseOf(chain: Chain, reported: RailEvent[]): EvmHouse {
  const rail = evmRail(chain)
  const { deposit, payout } = rail
  if (!deposit || !payout) throw new Error('The rail of a chain serves both directions.')
  const follower = newFollower(
    chain,
    reportsOf((_db, events) => {
      reported.push(...events.map(({ rail: _rail, ...event }) => event))
      return Promise.resolve()
    }),
  )
  const look = () => followOnce(follower)
  return {
    chain,
    rail,
    deposit,
    payout,
    look,
    follow: async () => {
      const before = reported.length
      while ((await look()) === 'more') continue
      return reported.slice(before)
    },
  }
}

/** What a follower of a test reports to. */
export const reportsOf = (report: ReportEvents, more: Partial<Reports> = {}): Omit<Reports, 'charge'> => ({
  report,
  halt: () => undefined,
  resume: () => undefined,
  oneNodeBelow: () => 0n,
  ...more,
})

/** A chain whose node's answers the test may change. */
export const through = (chain: Chain, change: (ask: Node['askAll']) => Node['askAll']): Chain => {
  const askAll = change(chain.node.askAll)
  const ask: Node['ask'] = async <Result>(method: string, ...params: unknown[]) =>
    (await askAll<Result>([{ method, params }]))[0] as Result
  return { ...chain, node: { ask, askAll } }
}

/** What a node says instead of the truth. */
export type Lie = (method: string, answer: unknown, params: readonly unknown[]) => unknown

/** A chain whose first node lies. */
export const lying = (chain: Chain, lie: Lie): Chain =>
  through(chain, (askAll) => async (calls) => {
    const answers = await askAll<unknown>(calls)
    const said = answers.map((answer, at) => lie(calls[at]?.method ?? '', answer, calls[at]?.params ?? []))
    return (await Promise.all(said)) as never
  })
