import type { Database } from '../platform/db/sql.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import type { Schema } from '../platform/lib/schema.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'
import type { Confirmations } from './confirmations.ts'
import type { EvmSettings } from './evm/settings.ts'
import type { BankReports } from './iso20022/bank.ts'
import type { SignerClient } from './keys/signer-client.ts'
import type { Rail } from './rail.ts'
import type { Reports } from './two-nodes.ts'

/** One rail of CONFIG_FILE: what several kinds have; the other fields are those of its kind. */
export type RailEntry = {
  kind: string
  name: string
  /** How it shares new payments with others that serve the same. */
  priority?: number
  weight?: number
  keys?: { file: string; password: string }
}

/** Where the settings of rails are: relative paths start at `folder`. */
export type SettingsPlace = {
  folder: string
  /** The secret that a reference of the file names. */
  readSecret(reference: string): string
}

/** What rails are opened with. */
export type RailTools = SettingsPlace & {
  db: Database
  clock: Clock
  log: Log
  secrets: Pick<Secrets, 'keyFor'>
  timeoutMs: number
  confirmations: Confirmations
  /** Real money: chains have two nodes, and are those of the catalog. */
  isLive: boolean
  /** The process that holds the keys, if there is one. */
  signer: SignerClient | undefined
  /** A folder to make missing keys in, for coins without worth; undefined with real money. */
  madeKeys: string | undefined
  evm: EvmSettings
}

/** To whom rails that follow their provider report. */
export type RailReports = Reports & BankReports

/** The rails of one kind, and the work that never ends of processes that are workers. */
export type OpenedRails = {
  rails: readonly Rail[]
  /** What a wallet held of an asset before its first deposit was reported; undefined for networks of other kinds. */
  openingBalance?(network: string): ((asset: string) => Promise<bigint>) | undefined
  follow?(reports: RailReports): { stop(): Promise<void> }
}

/** What is wrong with an entry: where in it, `accounts[0].iban`, and what. */
export type SettingProblem = { path: string; message: string }

/** How an entry is checked before it is opened, as `config check` does. */
export type CheckPlace = SettingsPlace & {
  hasSigner: boolean
  /** Whether keystores are in reach. */
  withKeystores: boolean
}

/** An entry, and where in the file it is. */
export type Placed<Entry> = { path: string; entry: Entry }

/** A kind of rail. Its entries fit its schema when anything else is asked about them. */
export type RailKind<Entry = RailEntry> = {
  kind: string
  /** What it reads of its entry in CONFIG_FILE; it has a `kind` with a `const`. */
  schema: Schema
  /** The chain of an entry: there is one rail for it. */
  chainOf?(entry: Entry): string
  /** What keeps an entry from being opened, as far as the file and this machine say it. */
  problems?(entry: Entry, place: CheckPlace): SettingProblem[]
  /** What entries share that each needs alone. */
  shared?(entries: readonly Placed<Entry>[], folder: string): SettingProblem[]
  /** Whether other settings than CONFIG_FILE name rails of this kind. */
  isNamedElsewhere?(tools: RailTools): boolean
  open(entries: readonly Entry[], tools: RailTools): Promise<OpenedRails>
}

/** A kind among others. What it is asked about are its own entries, which is what makes the cast true. */
export const railKind = <Entry>(kind: RailKind<Entry>): RailKind => kind as unknown as RailKind

/** The follower of rails that each have one. */
export const together = (following: readonly { stop(): Promise<void> }[]): { stop(): Promise<void> } => ({
  stop: async () => void (await Promise.all(following.map((one) => one.stop()))),
})
