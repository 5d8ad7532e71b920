import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { silentLog } from '../../src/platform/lib/log.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import type { Bank } from '../../src/rails/iso20022/bank.ts'
import { type BankFollower, followBankOnce, newBankFollower } from '../../src/rails/iso20022/follow.ts'
import { openBank } from '../../src/rails/iso20022/rails.ts'
import type { BankEntry } from '../../src/rails/iso20022/settings.ts'
import type { RailEvent } from '../../src/rails/rail.ts'
import { testContext } from './api.ts'
import { ourIban } from './camt.ts'
import { testDatabase } from './database.ts'
import { FolderBank } from './folder-bank.ts'

/** The rail of a bank, its folders, and the bank itself, on a database of their own. Nothing runs by itself. */
export type BankWorld = {
  ctx: Ctx
  bank: Bank
  folder: string
  outside: FolderBank
  follower: BankFollower
  /** What the rail reported, in order; emptied by `report`. */
  events: RailEvent[]
  charges: { place: string; asset: string; amount: bigint }[]
  /** Names of files that operators have accepted. */
  accepted: Set<string>
  /** Payments that a person has decided about. */
  decided: Set<string>
  /** Keys of payments that payees hold. */
  heldPayees: Set<string>
  /** Accounts whose opening balance is booked. */
  opened: Set<string>
  /** Lets real time pass. */
  pass(ms: number): void
  /** The bank as another process would open it. */
  reopen(change?: Partial<BankEntry>): Promise<{ bank: Bank; follower: BankFollower }>
  /** One round: takes files, and lets payment files leave. Gives what was reported. */
  round(): Promise<RailEvent[]>
  close(): Promise<void>
}

const bankEntry: BankEntry = {
  kind: 'iso20022',
  name: 'bank-1',
  in: './in',
  out: './out',
  every: 'PT1S',
  serves: ['SEPA'],
  accounts: [{ currency: 'EUR', iban: ourIban, bic: 'BYLADEM1001', holder: 'Example Ltd' }],
}

export async function openBankWorld(change: Partial<BankEntry> = {}): Promise<BankWorld> {
  const database = await testDatabase()
  const ctx = await testContext(database)
  const folder = mkdtempSync(join(tmpdir(), 'cambio-bank-'))
  let ahead = 0
  const realNow = (): Date => new Date(Date.now() + ahead)
  const clock = { now: realNow, realNow, offsetMs: () => 0, learnOffset: () => undefined, follow: () => 0 }
  const { db, secrets } = ctx
  const faults: unknown[] = []
  const log = { ...silentLog, warn: (fields: object) => void faults.push(...('err' in fields ? [fields.err] : [])) }
  const events: RailEvent[] = []
  const charges: BankWorld['charges'] = []
  const accepted = new Set<string>()
  const decided = new Set<string>()
  const heldPayees = new Set<string>()
  const opened = new Set<string>()
  const reopen: BankWorld['reopen'] = async (other = {}) => {
    const bank = await openBank(
      { ...bankEntry, ...change, ...other },
      { db, clock, log, secrets, folder, readSecret: (reference) => reference },
    )
    const reports = {
      report: (_: unknown, reported: readonly RailEvent[]) => {
        for (const { key, kind, reference, payment, asset, amount, body } of reported)
          events.push({ key, kind, reference, payment, asset, amount, body })
        return Promise.resolve()
      },
      accepts: (_: unknown, { name }: { name: string }) => Promise.resolve(accepted.has(name)),
      taken: () => undefined,
      isDecided: (_: unknown, { payment }: { payment: string }) => Promise.resolve(decided.has(payment)),
      isOpened: (_: unknown, { account }: { account: string }) => Promise.resolve(opened.has(account)),
      mayComeBack: () => Promise.resolve(true),
      holdPayees: (_: unknown, { keys }: { keys: readonly string[] }) =>
        Promise.resolve(keys.filter((key) => heldPayees.has(key))),
      charge: (_: unknown, costs: BankWorld['charges']) => {
        charges.push(...costs)
        return Promise.resolve()
      },
    }
    return { bank, follower: newBankFollower(bank, reports) }
  }
  const { bank, follower } = await reopen()
  let last: Promise<unknown> = Promise.resolve()
  return {
    ctx,
    bank,
    folder,
    outside: new FolderBank(folder, 1_000_000n),
    follower,
    events,
    charges,
    accepted,
    decided,
    heldPayees,
    opened,
    pass: (ms) => {
      ahead += ms
    },
    reopen,
    round: () => {
      // One after the other, as a process does.
      const next = last.then(async () => {
        await followBankOnce(follower)
        if (faults.length > 0) throw faults.splice(0)[0]
        return events.splice(0)
      })
      last = next.catch(() => [])
      return next
    },
    close: async () => {
      await db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
