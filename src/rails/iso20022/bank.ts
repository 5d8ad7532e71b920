import type { Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { Asset } from '../../platform/money/amount.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import type { RailEvent } from '../rail.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { BankCategory } from './settings.ts'

/** What a bank's rail depends on. */
export type BankDependencies = { db: Database; clock: Clock; log: Log; secrets: Pick<Secrets, 'keyFor'> }

/** An account of ours at the bank. */
export type OwnAccount = {
  asset: Asset
  /** Empty where the bank knows the account by another id. */
  iban: string
  other: string
  bic: string
  holder: string
  bank: string
}

/** What an account is known by. */
export const accountIdOf = ({ iban, other }: Pick<OwnAccount, 'iban' | 'other'>): string => iban || other

/** A bank that exchanges ISO 20022 files with us, opened from its entry in CONFIG_FILE. */
export type Bank = Omit<BankDependencies, 'secrets'> & {
  /** The rail's name. */
  name: string
  accounts: readonly OwnAccount[]
  /** Accounts that the bank's files are about and that are not ours to book. */
  ignored: readonly string[]
  serves: readonly BankCategory[]
  instant: boolean
  everyMs: number
  /** How long a file that ends too early may stay as it is before it is refused, in real milliseconds. */
  patienceMs: number
  /** Minutes of the day (UTC) at which payments leave; empty: at once. */
  cutoffs: readonly number[]
  /** Absolute paths: where files of the bank arrive, and where payment files appear. */
  inFolder: string
  outFolder: string
  /** A folder with published schemas; undefined: payment files are checked against our own alone. */
  schemaFolder: string | undefined
  sftp: SftpServer | undefined
  keys: BankKeys
}

/** A server of the bank that holds its folders. */
export type SftpServer = {
  host: string
  port: number
  user: string
  privateKey: string
  /** `SHA256:` and the base64 of the hash of the server's key. */
  hostKey: string
  inFolder: string
  outFolder: string
}

/** One key for each purpose, derived from the master key. */
export type BankKeys = { references: Buffer; hashes: Buffer; sealing: Buffer }

/** Who receives what the bank's files report, in the block that stores them: both commit, or neither. */
export type BankReports = {
  report(db: Atomic, events: readonly (RailEvent & { rail: string })[]): Promise<void>
  /** Whether operators have accepted a file as it is; one that cannot be read, so that nothing of it is booked. */
  accepts(
    db: Atomic,
    file: { id: bigint; rail: string; name: string; checksum: string; is_readable: boolean },
  ): Promise<boolean>
  /** A file was stored: its statements are compared with what was reported before. */
  taken(db: Atomic, file: { id: bigint }): void
  /** Whether a person has decided about money without an order: matched, sent back or booked it. */
  isDecided(db: Atomic, money: { rail: string; payment: string }): Promise<boolean>
  /** Whether the opening balance of an account is booked. One that is not, is not before the block ends. */
  isOpened(db: Atomic, of: { rail: string; account: string; asset: string }): Promise<boolean>
  /** Whether what left under a key can still come back to what it was paid for. */
  mayComeBack(db: Atomic, payment: { rail: string; key: string }): Promise<boolean>
  /** Holds the orders of payments in no file yet to whose account a bank has given another holder since. Gives the keys that stay. */
  holdPayees(db: Atomic, payments: { rail: string; keys: readonly string[] }): Promise<readonly string[]>
  /** Charges of the bank. */
  charge(db: Atomic, costs: { place: string; asset: string; amount: bigint }[]): Promise<void>
}

/** The account of a statement. One IBAN may have an account for each currency. */
export const accountOf = ({ accounts }: Pick<Bank, 'accounts'>, id: string, currency: string): OwnAccount | undefined =>
  accounts.find((one) => accountIdOf(one) === id && (currency === '' || one.asset.ticker === currency))
