import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { parseDuration } from '../../platform/lib/duration.ts'
import { mayBeCharge } from '../statement.ts'
import type { Rail, Service } from '../rail.ts'
import { type SettingsPlace, together } from '../kind.ts'
import type { Bank, BankDependencies, BankReports } from './bank.ts'
import { doubtsOf } from './booking/doubts.ts'
import { bookGap } from './booking/gap.ts'
import { openParty } from './booking/party.ts'
import { balances, type BookedLine, bookedBetween, unexplainedBookings } from './booking/queries.ts'
import { accountOf, bankProblems, sharedSettings } from './check-settings.ts'
import { deposits } from './deposits.ts'
import { keepFollowingBank, newBankFollower } from './follow.ts'
import { openRail } from './lease.ts'
import { payouts } from './payouts.ts'
import { paymentOf } from './booking/events.ts'
import type { BankEntry } from './settings.ts'
import { findingsOf } from './findings.ts'
import { checkBank } from './troubles.ts'

type BankTools = BankDependencies & SettingsPlace

/** How long a file that ends too early may stay unchanged before it is refused, in real milliseconds. */
const patienceMs = 20_000

/** Opens the banks of CONFIG_FILE. */
export async function openBankRails(entries: readonly BankEntry[], tools: BankTools) {
  const [shared] = sharedSettings(
    entries.map((entry) => ({ path: entry.name, entry })),
    tools.folder,
  )
  if (shared) throw new Error(`rails: ${shared.path}: ${shared.message}.`)
  const banks: Bank[] = []
  for (const entry of entries) banks.push(await openBank(entry, tools))
  return {
    rails: banks.map(bankRail),
    follow: (reports: BankReports) => together(banks.map((bank) => keepFollowingBank(newBankFollower(bank, reports)))),
  }
}

/** Opens one bank: checks its accounts, and makes its folders. Refuses settings that cannot work, with a sentence for the operator. */
export async function openBank(
  entry: BankEntry,
  { db, clock, log, secrets, folder, readSecret }: BankTools,
): Promise<Bank> {
  const [problem] = bankProblems(entry, { folder, readSecret })
  if (problem) throw new Error(`rails: ${entry.name}: ${problem.path}: ${problem.message}.`)
  const bank: Bank = {
    db,
    clock,
    log,
    name: entry.name,
    accounts: entry.accounts.map(accountOf),
    ignored: entry.ignore ?? [],
    serves: entry.serves,
    instant: entry.instant ?? false,
    everyMs: Math.max(parseDuration(entry.every), 100),
    patienceMs,
    cutoffs: (entry.cutoffs ?? []).map(
      (time) => Number.parseInt(time.slice(0, 2), 10) * 60 + Number.parseInt(time.slice(3), 10),
    ),
    inFolder: resolve(folder, entry.in),
    outFolder: resolve(folder, entry.out),
    schemaFolder: entry.schemas === undefined ? undefined : resolve(folder, entry.schemas),
    sftp: entry.sftp && {
      host: entry.sftp.host,
      port: entry.sftp.port ?? 22,
      user: entry.sftp.user,
      privateKey: readSecret(entry.sftp.key),
      hostKey: entry.sftp.host_key,
      inFolder: entry.sftp.in,
      outFolder: entry.sftp.out,
    },
    keys: {
      references: secrets.keyFor('bank-references'),
      hashes: secrets.keyFor('bank-hashes'),
      sealing: secrets.keyFor('bank-files'),
    },
  }
  for (const path of [join(bank.inFolder, 'done'), join(bank.inFolder, 'refused'), bank.outFolder]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
  await openRail(bank.db, bank.name)
  return bank
}

const aboutOf = {
  deposit: 'payment',
  payout: 'payment',
  charge: 'charge',
  payout_returned: 'return',
  deposit_reversed: 'recall',
  unexplained: 'other',
} as const

/** Whether the bank took it for itself: it names no payee, and the sum or the text is a charge's. */
function isChargeItself(bank: Bank, { id, asset, amount, payer, is_bare: isBare }: BookedLine): boolean {
  const own = bank.accounts.find((one) => one.asset.id === asset)
  return isBare && own !== undefined && mayBeCharge(own.asset, -amount, openParty(bank, id, payer)?.text)
}

/** The rail of one bank: transfers in and out. What happens is in the bank's files; it has no callbacks. */
export const bankRail = (bank: Bank): Rail => ({
  name: bank.name,
  custodyAccount: bank.name,
  serves: bank.serves.map((category): Service => ({
    directions: ['deposit', 'payout'],
    categories: [category],
    networks: networksOf(bank, category),
  })),
  deposit: deposits(bank),
  payout: payouts(bank),
  check: () => checkBank(bank),
  unexplained: async (db, limit) =>
    (await unexplainedBookings(db, bank.name, limit)).map(({ id, payer, booked_on: bookedOn, ...one }) => {
      const { name = '', account = '', onBehalfOf = '', text = '' } = openParty(bank, id, payer) ?? {}
      return { ...one, payment: paymentOf(id), party: { name, account, onBehalfOf }, text, bookedOn }
    }),
  doubts: (db, payments) => doubtsOf(db, bank.name, payments),
  findings: (db) => findingsOf(bank, db),
  bookGap: (db, gap, report) => bookGap(bank, db, gap, report),
  balance: async (asset) => (await balances(bank.db, bank.name, asset))[0]?.balance ?? 0n,
  statement: async (period) =>
    (await bookedBetween(bank.db, bank.name, period)).map((one) => ({
      payment: paymentOf(one.id),
      reference: one.reference,
      asset: one.asset,
      amount: one.amount,
      at: one.at,
      about: one.is_lump_of_gap ? 'gap' : isChargeItself(bank, one) ? 'charge' : aboutOf[one.kind],
    })),
})

function networksOf({ accounts }: Bank, category: string): string[] {
  if (category === 'SEPA') return ['EUR']
  if (category === 'FASTERPAYMENTS') return ['GBP']
  return accounts.map(({ asset }) => asset.network)
}
