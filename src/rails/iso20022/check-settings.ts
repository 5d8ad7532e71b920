import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

import type Ssh2 from 'ssh2'

import { checkIban, readBic } from '../../reference/bank/iban.ts'
import { assetOf } from '../../reference/catalog/asset.ts'
import type { Placed, SettingProblem, SettingsPlace } from '../kind.ts'
import { accountIdOf, type OwnAccount } from './bank.ts'
import type { AccountEntry, BankEntry } from './settings.ts'

// Few exchanges fetch files by SFTP.
const load = createRequire(import.meta.url)

/** Everything that keeps a bank from being opened: asked before it is opened, and by `config check`. */
export const bankProblems = (entry: BankEntry, { folder, readSecret }: SettingsPlace): SettingProblem[] => [
  ...entry.accounts.flatMap((account, at) =>
    accountProblems(account).map(({ path, message }) => ({ path: `accounts[${at}].${path}`, message })),
  ),
  ...accountsTogether(entry),
  ...ignoredProblems(entry),
  ...onePerPath(foldersOf(entry, folder).flatMap(({ path, at }) => folderProblem(path, at))),
  ...(entry.sftp ? sftpProblems(entry.sftp, readSecret) : []),
  ...(entry.schemas === undefined ? [] : schemaProblems(resolve(folder, entry.schemas))),
]

/** The folders that a bank uses, by the settings that they are of. */
const foldersOf = (entry: BankEntry, folder: string): { path: 'in' | 'out'; at: string }[] => [
  ...['', 'done', 'refused'].map((name) => ({ path: 'in' as const, at: realPath(resolve(folder, entry.in, name)) })),
  { path: 'out', at: realPath(resolve(folder, entry.out)) },
]

/** A path without links, whatever of it does not exist yet. */
function realPath(path: string): string {
  const nearest = nearestTo(path)
  return join(realpathSync(nearest), relative(nearest, path))
}

/**
 * What two banks, or two settings of one bank, would share: files that one takes are gone for the other, and what comes to an account would
 * be booked twice.
 */
export function sharedSettings(banks: readonly Placed<BankEntry>[], folder: string): SettingProblem[] {
  const owners = new Map<string, string>()
  const shared = (what: string, path: string): SettingProblem[] => {
    const other = owners.get(what) ?? path
    owners.set(what, other)
    return other === path ? [] : [{ path, message: `is used by ${other} already` }]
  }
  const found = banks.flatMap(({ path: bank, entry: { accounts, sftp, ...entry } }) => [
    ...foldersOf({ accounts, ...entry }, folder).flatMap(({ path, at }) => shared(at, `${bank}.${path}`)),
    ...(['in', 'out'] as const).flatMap((path) =>
      sftp ? shared(`${sftp.host} ${sftp.port ?? 22} ${sftp.user} ${sftp[path]}`, `${bank}.sftp.${path}`) : [],
    ),
    ...accounts
      .filter((account) => accountProblems(account).length === 0)
      .map(accountOf)
      .flatMap((account) => shared(nameOf(account), `${bank}.accounts`)),
  ])
  return onePerPath(found)
}

const onePerPath = (problems: readonly SettingProblem[]): SettingProblem[] => [
  ...new Map(problems.map((one) => [one.path, one])).values(),
]

/** An account as the rail uses it. Refuses what `accountProblems` names. */
export function accountOf({ currency, iban = '', other = '', bic, holder, bank = bic }: AccountEntry): OwnAccount {
  const asset = assetOf(currency)
  const checked = checkIban(iban)
  if (!asset) throw new Error(`There is no currency ${currency}.`)
  return { asset, iban: checked.ok ? checked.iban : '', other, bic, holder, bank }
}

function accountProblems({ currency, iban, other, bic }: AccountEntry): SettingProblem[] {
  const checked = iban === undefined ? undefined : checkIban(iban)
  return [
    ...(assetOf(currency)?.id === `${currency}-${currency}`
      ? []
      : [{ path: 'currency', message: `${currency} is not a currency of the catalog` }]),
    ...(checked?.ok === false ? [{ path: 'iban', message: checked.reason }] : []),
    ...(!checked && !other ? [{ path: 'iban', message: 'give either iban or other' }] : []),
    ...(readBic(bic) === undefined ? [{ path: 'bic', message: `${bic} is not a BIC` }] : []),
  ]
}

const nameOf = (one: OwnAccount): string => `${accountIdOf(one)} in ${one.asset.ticker}`

/** Nothing that comes to an account of ours may be left out. */
function ignoredProblems({ accounts, ignore = [] }: BankEntry): SettingProblem[] {
  const own = accounts.flatMap(({ iban, other }) => [iban, other])
  return ignore.flatMap((one, at) =>
    own.includes(one)
      ? [{ path: `ignore[${at}]`, message: 'is one of our accounts, whose money would not be booked' }]
      : [],
  )
}

/** The key must open without a password, and the fingerprint of the server's key be one. */
function sftpProblems(
  { key, host_key: hostKey }: NonNullable<BankEntry['sftp']>,
  readSecret: SettingsPlace['readSecret'],
): SettingProblem[] {
  const { utils } = load('ssh2') as typeof Ssh2
  const read = utils.parseKey(readSecret(key))
  const isPrivate = !(read instanceof Error) && [read].flat().some((one) => one.isPrivateKey())
  const isFingerprint = /^SHA256:[A-Za-z0-9+/]{43}=?$/.test(hostKey)
  return [
    ...(isPrivate ? [] : [{ path: 'sftp.key', message: 'is no private key that opens without a password' }]),
    ...(isFingerprint
      ? []
      : [{ path: 'sftp.host_key', message: 'is no fingerprint as ssh-keygen -l prints it: SHA256:...' }]),
  ]
}

/** What each category is paid in. */
const currencies = { SEPA: 'EUR', FASTERPAYMENTS: 'GBP' }

function accountsTogether({ accounts, serves }: BankEntry): SettingProblem[] {
  const own = accounts.filter((account) => accountProblems(account).length === 0).map(accountOf)
  const repeated = own.find((one, at) => own.findIndex((other) => nameOf(other) === nameOf(one)) !== at)
  const missing = Object.entries(currencies).filter(
    ([category, currency]) =>
      serves.some((one) => one === category) && !accounts.some((account) => account.currency === currency),
  )
  return [
    ...(repeated ? [{ path: 'accounts', message: `has the account ${nameOf(repeated)} twice` }] : []),
    ...missing.map(([category, currency]) => ({
      path: 'serves',
      message: `${category} without an account in ${currency}`,
    })),
  ]
}

/** A folder, or the nearest one above it that exists. */
function nearestTo(folder: string): string {
  let nearest = folder
  while (!existsSync(nearest) && nearest !== dirname(nearest)) nearest = dirname(nearest)
  return nearest
}

/** A folder is made where it is missing: then the nearest one above it must take it. */
function folderProblem(path: string, folder: string): SettingProblem[] {
  const nearest = nearestTo(folder)
  if (!statSync(nearest).isDirectory()) return [{ path, message: 'is no folder' }]
  try {
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK)
    return []
  } catch {
    return [{ path, message: 'cannot be read and written' }]
  }
}

function schemaProblems(folder: string): SettingProblem[] {
  try {
    const schemas = readdirSync(folder).filter((name) => name.endsWith('.xsd'))
    for (const name of schemas) readFileSync(join(folder, name))
    return schemas.length > 0 ? [] : [{ path: 'schemas', message: 'has no schema (.xsd)' }]
  } catch {
    return [{ path: 'schemas', message: 'cannot be read' }]
  }
}
