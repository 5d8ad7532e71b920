import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Company, Environment, HedgingSettings, RebalancingSettings } from '../../exchange/settings.ts'
import { projectRoot } from '../../platform/lib/root.ts'
import {
  counts,
  describeSetting,
  duration,
  list,
  oneOf,
  optional,
  printSetting,
  readSettings,
  setting,
  settingsOf,
  type SettingTexts,
  type Source,
  type Values,
} from '../../platform/lib/setting.ts'
import { bankSettings } from './bank-accounts.ts'
import { readConfigFile } from './file.ts'
import { companyOf, environmentOf } from './environment.ts'
import { b2bSettings } from './b2b.ts'
import { databaseSettings, isSafeDatabase } from './database.ts'
import { keyRules, evmSettings, isKeyless } from './evm.ts'
import { geoSettings } from './geo.ts'
import { httpSettings } from './http.ts'
import { identitySettings } from './identity.ts'
import { legalSettings } from './legal.ts'
import { mailSettings, oneTimeCodeSettings } from './mail.ts'
import { operatorSettings } from './operators.ts'
import { priceSettings } from './prices.ts'
import { rateLimitSettings } from './rate-limits.ts'
import { hedgingOf, rebalancingOf } from './treasury.ts'
import { listenSettings, webhookSettings } from './webhooks.ts'

const roles = ['api', 'worker', 'rates'] as const
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

const ownFolder = { shown: ".cambio in the project's folder", from: () => join(projectRoot, '.cambio') }

const inDataDir = (name: string) => ({
  shown: `${name} in DATA_DIR`,
  from: (given: SettingTexts) => join(resolve(given.text('DATA_DIR')), name),
})

/** Every setting, once. One file here defines the settings of one subject. */
const definitions = {
  mode: setting('MODE', 'sandbox', oneOf('sandbox', 'live'), 'Whether money is simulated (sandbox) or real (live).'),
  roles: setting(
    'ROLES',
    roles.join(),
    list(oneOf(...roles)),
    'What this process does. Several processes can share one database.',
  ),
  dataDir: setting(
    'DATA_DIR',
    ownFolder,
    resolve,
    'The folder for the embedded database, the files of the sandbox and what this machine remembers of its database.',
  ),
  masterKeyFile: setting(
    'MASTER_KEY_FILE',
    inDataDir('master.key'),
    resolve,
    'The file with the key that encrypts the keys of personal data. The sandbox creates it; live mode needs an existing file.',
  ),
  file: optional(
    'CONFIG_FILE',
    '',
    readConfigFile,
    'The YAML file with the company, price sources, rails, custody and treasury, such as /etc/cambio/config.yaml. Check it with `cambio config check`.',
  ),
  logLevel: setting('LOG_LEVEL', 'info', oneOf(...logLevels), 'The log level.'),
  shutdownGraceMs: setting(
    'SHUTDOWN_GRACE',
    'PT10S',
    duration(0),
    'How long running work may take to finish at shutdown.',
  ),
  outsideTimeoutMs: setting(
    'OUTSIDE_TIMEOUT',
    'PT10S',
    duration(1),
    'How long a rail or a market may take to respond.',
  ),

  http: httpSettings,

  database: databaseSettings,

  rateLimits: rateLimitSettings,

  pricing: priceSettings,

  confirmations: setting(
    'CONFIRMATIONS',
    '',
    counts(1, 100_000),
    'Confirmations until a payment is final, where they differ from the catalog: BTC=3.',
  ),

  jobs: {
    leaseMs: setting('JOB_LEASE', 'PT10S', duration(1_000), 'How long an unresponsive worker keeps its jobs.'),
  },

  webhooks: webhookSettings,
  listen: listenSettings,
  operator: operatorSettings,
  b2b: b2bSettings,

  mail: mailSettings,

  oneTimeCode: oneTimeCodeSettings,

  evm: evmSettings,
  bank: bankSettings,
  identity: identitySettings,
  geo: geoSettings,
  legal: legalSettings,
}

/** Beginnings of names that are so plainly ours that an unknown name with one of them must be a slip. */
const ownPrefixes =
  /^(CONFIG_F|RATE_LIMIT|WEBHOOK_|ONE_TIME_CODE_|IDEMPOTENCY_|CONFIRMATIONS|B2B_|DKIM_|SMTP_C|JOB_LEASE|DATABASE_[OU]|SUMSUB_|EVM_|GEO_D|CAMBIO_[USW]|OPERATOR_T|TERMS_|PRIVACY_)/

/**
 * Everything that an operator decides, read and checked. Times are milliseconds where a name ends in `Ms`.
 * `database.urls` holds what DATABASE_URLS or else DATABASE_URL says, and is empty for the embedded database.
 * `warnings` are sentences for the log: nothing in them stops the service.
 */
export type Config = Choices & {
  environment: Environment
  company: Company | undefined
  hedging: HedgingSettings | undefined
  rebalancing: RebalancingSettings | undefined
  warnings: string[]
}

type Choices = Values<typeof definitions>

const all = settingsOf(definitions)

/** All settings as text, for `cambio settings` and docs/operator/settings.md. An empty default means absent. */
export const settings = all.map(describeSetting)

export const printSettings = (): string => settings.map(printSetting).join('\n')

/** A setting and what is wrong with it: the end of a sentence. */
export type SettingProblem = readonly [name: string, problem: string]

/** Some settings are invalid. The message lists all of them, one per line. */
export class ConfigError extends Error {
  readonly problems: readonly SettingProblem[]

  constructor(problems: readonly SettingProblem[]) {
    super(`These settings are wrong:\n${problems.map(([name, problem]) => `  ${name}: ${problem}.`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the environment. Throws a ConfigError that lists everything wrong at once, without repeating secrets, before anything
 * starts. An empty value counts as absent. Only `asOwner` may the database's owner be named in live mode.
 */
export function readConfig(source: Source = process.env, { asOwner = false }: { asOwner?: boolean } = {}): Config {
  const { values, wrong, env } = readSettings(definitions, source)
  const live = env.MODE === 'live'
  const { url: single, urls } = values.database
  if (urls.length === 0 && single !== undefined) urls.push(single)

  const problems = live ? [...liveProblems(values, env), ...(asOwner ? [] : ownerProblems(values))] : []
  const more = [...conflicts(values), ...problems].filter(([name]) => !wrong.has(name))
  if (wrong.size + more.length > 0) {
    const missing = live && !wrong.has('CONFIG_FILE') ? missingParts(values) : []
    throw new ConfigError([...wrong, ...more, ...missing])
  }
  return {
    ...values,
    environment: environmentOf(values.mode),
    company: values.file?.company ?? companyOf(values.mode),
    hedging: values.file && hedgingOf(values.file),
    rebalancing: values.file && rebalancingOf(values.file),
    warnings: warningsAbout(env),
  }
}

/** Where CONFIG_FILE is, if the environment names one. */
export const configFilePath = (env: Source = process.env): string | undefined => env.CONFIG_FILE || undefined

/** What is wrong with the environment, apart from what CONFIG_FILE says by itself; `file` takes its place. */
export function settingProblems(file: string | undefined, env: Source = process.env): readonly SettingProblem[] {
  try {
    readConfig({ ...env, CONFIG_FILE: file })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

type Rule = [broken: boolean, ...problem: SettingProblem]

const brokenOf = (rules: Rule[]): SettingProblem[] =>
  rules.filter(([broken]) => broken).map(([, ...problem]) => problem)
function conflicts({ roles, http, identity, evm, file }: Choices): SettingProblem[] {
  const { port: service, adminPort, processorPort } = http
  const { sumsubAppToken, sumsubSecretKey, sumsubWebhookSecret } = identity
  const sumsub = [sumsubAppToken, sumsubSecretKey, sumsubWebhookSecret].filter((one) => one !== undefined)
  return brokenOf([
    [
      isKeyless(evm, file?.custody?.signer !== undefined),
      'EVM_RPC_URLS',
      'requires EVM_KEYSTORE_FILE and EVM_KEYSTORE_PASSWORD_FILE, or custody.signer in CONFIG_FILE',
    ],
    [roles.length === 0, 'ROLES', 'at least one role is required'],
    [adminPort > 0 && adminPort === service, 'ADMIN_PORT', 'is the same as PORT'],
    [
      processorPort > 0 && [service, adminPort].includes(processorPort),
      'PROCESSOR_PORT',
      'is used by another listener',
    ],
    [[1, 2].includes(sumsub.length), 'SUMSUB_APP_TOKEN', 'requires SUMSUB_SECRET_KEY and SUMSUB_WEBHOOK_SECRET'],
  ])
}

/** What may be played in the sandbox, but not with money. */
function liveProblems(
  { database, evm, file, http, identity, legal, masterKeyFile, webhooks, mail }: Choices,
  env: Source,
): SettingProblem[] {
  const keyFile = env.MASTER_KEY_FILE
  return brokenOf([
    ...keyRules(evm, file),
    [
      database.urls.length === 0 && database.ownerUrl === undefined,
      'DATABASE_URL',
      'is required in live mode, which does not use the embedded database',
    ],
    [
      ![...database.urls, database.ownerUrl ?? []].flat().every(isSafeDatabase),
      env.DATABASE_URLS ? 'DATABASE_URLS' : 'DATABASE_URL',
      'must have sslmode=verify-full in live mode, unless the database is on this machine',
    ],
    [!http.publicUrl?.startsWith('https://'), 'PUBLIC_URL', 'must begin with https:// in live mode'],
    [!keyFile, 'MASTER_KEY_FILE', 'is required in live mode: create the file and keep a copy'],
    [Boolean(keyFile) && !existsSync(masterKeyFile), 'MASTER_KEY_FILE', `file not found: ${masterKeyFile}`],
    [webhooks.allowPrivate, 'WEBHOOK_ALLOW_PRIVATE', 'must be off in live mode'],
    [mail.smtpUrl === undefined, 'SMTP_URL', 'is required in live mode: customers get their codes by e-mail'],
    [
      new URL(mail.smtpUrl ?? 'smtp://none').search !== '',
      'SMTP_URL',
      'must have no parameters in live mode: TLS is always demanded, and the certificate verified',
    ],
    [mail.from === '', 'MAIL_FROM', 'is required in live mode'],
    [legal.termsUrl === undefined, 'TERMS_URL', 'is required in live mode: customers accept your terms'],
    [legal.privacyUrl === undefined, 'PRIVACY_URL', 'is required in live mode: customers must be able to read it'],
    [
      file?.company === undefined,
      'CONFIG_FILE',
      'needs the section company in live mode: customers must see who you are',
    ],
    [
      Boolean(identity.sumsubAppToken?.startsWith('sbx:')),
      'SUMSUB_APP_TOKEN',
      "is a token for Sumsub's sandbox (sbx:), which live mode refuses",
    ],
  ])
}

const ownerProblems = ({ database }: Choices): SettingProblem[] =>
  brokenOf([
    [
      database.ownerUrl !== undefined,
      'DATABASE_OWNER_URL',
      'must not be set in live mode, except for `cambio migrate`: the service must not be able to change the books',
    ],
  ])

/**
 * What `refuseUnready` would find missing, as far as the settings say: for the report of an exchange that is not composed, because
 * other settings are wrong.
 */
function missingParts({ file }: Choices): SettingProblem[] {
  const hasRail = (file?.rails ?? []).length > 0
  return brokenOf([
    [!hasRail, 'CONFIG_FILE', 'needs rails in live mode: one that takes money in, and one that pays out'],
    [!file || !('markets' in file), 'CONFIG_FILE', 'needs the section markets in live mode: a source of prices'],
  ])
}

function warningsAbout(env: Source): string[] {
  const known = new Set(all.flatMap(({ name }) => [name, `${name}_FILE`]))
  const unknown = Object.keys(env).filter((name) => ownPrefixes.test(name) && !known.has(name))
  const warnings = unknown.map((name) => `${name} is not a known setting and is ignored.`)
  if (env.DATABASE_URL && env.DATABASE_URLS) warnings.push('DATABASE_URL is ignored, because DATABASE_URLS is set.')
  return warnings
}
