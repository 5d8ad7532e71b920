import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { parseDuration } from '../../platform/lib/duration.ts'
import { checkIban, readBic } from '../../reference/bank/iban.ts'
import { assetOf } from '../../reference/catalog/asset.ts'
import type { Rail, Service } from '../rail.ts'
import type { Bank, BankDependencies, BankReports, OwnAccount } from './bank.ts'
import { balances, bookedBetween } from './booking/queries.ts'
import { deposits } from './deposits.ts'
import { keepFollowingBank, newBankFollower } from './follow.ts'
import { openRail } from './lease.ts'
import { payouts } from './payouts.ts'
import { paymentOf } from './booking/events.ts'
import type { AccountEntry, BankEntry } from './settings.ts'
import { checkBank } from './troubles.ts'

/** How long a file that ends too early may stay unchanged before it is refused, in real milliseconds. */
const patienceMs = 20_000

/** The banks of CONFIG_FILE. */
export type BankRails = { rails: readonly Rail[]; follow(reports: BankReports): { stop(): Promise<void> } }

/** Opens the banks of CONFIG_FILE. Relative paths start at `folder`; `secretOf` reads what a reference of the file refers to. */
export async function openBankRails(
  entries: readonly BankEntry[],
  dependencies: BankDependencies,
  { folder, secretOf }: { folder: string; secretOf: (reference: string) => string },
): Promise<BankRails> {
  const banks: Bank[] = []
  for (const entry of entries) banks.push(await openBank(entry, dependencies, { folder, secretOf }))
  return {
    rails: banks.map(bankRail),
    follow: (reports) => {
      const following = banks.map((bank) => keepFollowingBank(newBankFollower(bank, reports)))
      return { stop: async () => void (await Promise.all(following.map((one) => one.stop()))) }
    },
  }
}

/** Opens one bank: checks its accounts, and makes its folders. Refuses settings that cannot work, with a sentence for the operator. */
export async function openBank(
  entry: BankEntry,
  { secrets, ...dependencies }: BankDependencies,
  { folder, secretOf }: { folder: string; secretOf: (reference: string) => string },
): Promise<Bank> {
  const bank: Bank = {
    ...dependencies,
    name: entry.name,
    accounts: accountsOf(entry),
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
      privateKey: secretOf(entry.sftp.key),
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

function accountsOf({ name, accounts, serves }: BankEntry): OwnAccount[] {
  const own = accounts.map((account, index) => accountOf(account, `rails: ${name}: accounts[${index}]`))
  const repeated = own.find((one, index) => own.findIndex(({ asset }) => asset.id === one.asset.id) !== index)
  if (repeated)
    throw new Error(`rails: ${name}: has two accounts for ${repeated.asset.ticker}; give each its own rail.`)
  const needed = { SEPA: 'EUR', FASTERPAYMENTS: 'GBP' }
  for (const [category, currency] of Object.entries(needed)) {
    if (serves.some((one) => one === category) && !own.some(({ asset }) => asset.ticker === currency))
      throw new Error(`rails: ${name}: serves ${category} without an account in ${currency}.`)
  }
  return own
}

function accountOf({ currency, iban, bic, holder, bank }: AccountEntry, place: string): OwnAccount {
  const asset = assetOf(currency)
  if (!asset || asset.id !== `${currency}-${currency}`)
    throw new Error(`${place}: ${currency} is not a currency of the catalog.`)
  const checked = checkIban(iban)
  if (!checked.ok) throw new Error(`${place}: iban: ${checked.reason}`)
  if (readBic(bic) === undefined) throw new Error(`${place}: bic: ${bic} is not a BIC.`)
  return { asset, iban: checked.iban, bic, holder, bank: bank ?? bic }
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
  balance: async (asset) => (await balances(bank.db, bank.name, asset))[0]?.balance ?? 0n,
  statement: async (period) =>
    (await bookedBetween(bank.db, bank.name, period)).map((one) => ({
      payment: paymentOf(one.id),
      reference: one.reference,
      asset: one.asset,
      amount: one.amount,
      at: one.at,
    })),
})

function networksOf({ accounts }: Bank, category: string): string[] {
  if (category === 'SEPA') return ['EUR']
  if (category === 'FASTERPAYMENTS') return ['GBP']
  return accounts.map(({ asset }) => asset.network)
}
