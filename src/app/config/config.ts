import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Environment } from '../../exchange/settings.ts'
import { projectRoot } from '../../platform/lib/root.ts'
import {
  cidr,
  count,
  counts,
  describeSetting,
  duration,
  host,
  list,
  oneOf,
  onOff,
  optional,
  origin,
  port,
  printSetting,
  readSettings,
  setting,
  settingsOf,
  url,
  type Given,
  type Source,
  type Values,
} from '../../platform/lib/setting.ts'
import { byMode, environmentOf } from './environment.ts'
import { evmSettings, geoSettings, identitySettings, isKeyless } from './chains-and-identity.ts'
import { b2bSettings, operatorSettings, payoutSettings } from './approvals.ts'
import { legalSettings, listenSettings, retentionSettings, webhookSettings } from './notifications.ts'

const roles = ['api', 'worker', 'rates'] as const
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
const postgresUrl = url('postgres', 'postgresql')

const mailFrom = byMode({ sandbox: 'Cambio <exchange@sandbox.invalid>', live: '' })
const ownFolder = { shown: ".cambio in the project's folder", from: () => join(projectRoot, '.cambio') }

const inDataDir = (name: string) => ({
  shown: `${name} in DATA_DIR`,
  from: (given: Given) => join(resolve(given.text('DATA_DIR')), name),
})

/** A listener's port beside the service's own; free like it when PORT is 0. */
const portAfter = (steps: number) => ({
  shown: `PORT + ${steps}; a free port when PORT is 0`,
  from: (given: Given) => {
    const first = Number.parseInt(given.text('PORT'), 10)
    return first > 0 && first + steps <= 65_535 ? String(first + steps) : '0'
  },
})

/** How many a second, or at once. */
const rate = count(1, 1_000_000)

/** Every setting, once: its place in `Config`, its name in the environment, its default, its form, its sentence. */
const definitions = {
  mode: setting('MODE', 'sandbox', oneOf('sandbox', 'live'), 'Whether money is played (sandbox) or real (live).'),
  roles: setting(
    'ROLES',
    roles.join(),
    list(oneOf(...roles)),
    'What this process does; several may share one database.',
  ),
  dataDir: setting(
    'DATA_DIR',
    ownFolder,
    resolve,
    'The folder of the embedded database and of what the sandbox writes.',
  ),
  masterKeyFile: setting(
    'MASTER_KEY_FILE',
    inDataDir('master.key'),
    resolve,
    'The file with the key that wraps the keys of personal data. Made in the sandbox; live mode needs one that exists.',
  ),
  logLevel: setting('LOG_LEVEL', 'info', oneOf(...logLevels), 'How much is logged.'),
  shutdownGraceMs: setting('SHUTDOWN_GRACE', 'PT10S', duration(0), 'How long running work may take to end at a stop.'),
  outsideTimeoutMs: setting('OUTSIDE_TIMEOUT', 'PT10S', duration(1), 'How long a rail or a market may take to answer.'),

  http: {
    host: setting('HOST', '127.0.0.1', host, 'The address to listen on; 0.0.0.0 or :: for every network.'),
    port: setting('PORT', '3000', port, 'The port of the API, the checkout and the calculator; 0 for a free one.'),
    adminPort: setting('ADMIN_PORT', portAfter(1), port, 'The port of /healthz, /readyz and /metrics; keep it inside.'),
    processorPort: setting('PROCESSOR_PORT', portAfter(2), port, "The port of the sandbox card processor's page."),
    publicUrl: optional(
      'PUBLIC_URL',
      'https://exchange.example.com',
      origin,
      'The origin that customers and partners see; the listening address when absent. Live mode needs one, with https.',
    ),
    processorUrl: optional(
      'PROCESSOR_URL',
      'https://processor.example.com',
      origin,
      "The origin of the sandbox card processor's page; its listening address when absent.",
    ),
    bodyLimitBytes: setting('BODY_LIMIT_BYTES', '262144', count(1_024, 16_777_216), 'The largest request body.'),
    requestTimeoutMs: setting('REQUEST_TIMEOUT', 'PT30S', duration(1), 'How long a client may take to send a request.'),
    trustedProxies: setting('TRUSTED_PROXIES', '', list(cidr), 'Proxies before the service, as 10.0.0.0/8,fd00::/8.'),
  },

  database: {
    url: optional(
      'DATABASE_URL',
      'postgres://owner:secret@db.example.com/cambio',
      postgresUrl,
      "The database's owner on PostgreSQL 15 or newer; the embedded database when absent. Live mode needs one.",
    ),
    urls: setting(
      'DATABASE_URLS',
      '',
      list(postgresUrl),
      'Several hosts of one database; the one that accepts writes is used. Wins over DATABASE_URL.',
      'postgres://owner:secret@db1.example.com/cambio,postgres://owner:secret@db2.example.com/cambio',
    ),
    poolSize: setting('DB_POOL_SIZE', '12', count(2, 1_000), 'The most connections that one process keeps.'),
    statementNames: setting('DB_STATEMENT_NAMES', 'on', onOff, 'Named prepared statements; off behind an old pooler.'),
    statementTimeoutMs: setting(
      'DB_STATEMENT_TIMEOUT',
      'PT30S',
      duration(1),
      'The longest that one statement may run.',
    ),
  },

  rateLimits: {
    on: setting('RATE_LIMITS', 'on', onOff, 'Whether callers are limited at all.'),
    keyPerSecond: setting('RATE_LIMIT_KEY_PER_SECOND', '100', rate, 'Requests a second that an API key may keep up.'),
    keyBurst: setting('RATE_LIMIT_KEY_BURST', '500', rate, 'Requests that an API key may make at once.'),
    createsPerSecond: setting('RATE_LIMIT_CREATES_PER_SECOND', '20', rate, 'The same for creates, a second.'),
    createsBurst: setting('RATE_LIMIT_CREATES_BURST', '200', rate, 'The same for creates, at once.'),
    customerIpPerSecond: setting('RATE_LIMIT_CUSTOMER_IP_PER_SECOND', '2', rate, 'Creates a second of a customer IP.'),
    customerIpBurst: setting('RATE_LIMIT_CUSTOMER_IP_BURST', '100', rate, 'Creates at once for one customer IP.'),
  },

  pricing: {
    cardValidityMs: setting('CARD_PRICE_VALIDITY', 'PT15M', duration(1_000), 'How long a price paid by card holds.'),
    coinValidityMs: setting('COIN_PRICE_VALIDITY', 'PT20M', duration(1_000), 'How long a price paid in coins holds.'),
    staleAfterMs: setting('STALE_PRICE_AFTER', 'PT60S', duration(1), 'How old a market price may be and still sell.'),
    marketSeed: setting('MARKET_SEED', '1', count(0, 4_294_967_295), "The seed of the sandbox market's walk."),
  },

  deadlines: {
    cardMs: setting('CARD_PAY_DEADLINE', 'PT30M', duration(1_000), 'How long a customer may take to pay by card.'),
    coinMs: setting('COIN_PAY_DEADLINE', 'PT24H', duration(1_000), 'How long a customer may take to pay in coins.'),
    bankBusinessDays: setting('BANK_PAY_BUSINESS_DAYS', '5', count(1, 60), 'Business days to pay by bank transfer.'),
  },

  confirmations: setting(
    'CONFIRMATIONS',
    '',
    counts(1, 100_000),
    "Final depths that differ from the catalog's: BTC=3.",
  ),

  jobs: {
    leaseMs: setting('JOB_LEASE', 'PT10S', duration(1_000), 'How long a worker that fell silent keeps its jobs.'),
  },

  webhooks: webhookSettings,
  listen: listenSettings,
  payouts: payoutSettings,
  operator: operatorSettings,
  b2b: b2bSettings,

  mail: {
    smtpUrl: optional(
      'SMTP_URL',
      'smtps://user:secret@mail.example.com',
      url('smtp', 'smtps'),
      'The mail server; the sandbox keeps mails in its mailbox when absent. Live mode needs one.',
    ),
    from: setting('MAIL_FROM', mailFrom, String, 'The sender of all mails. Live mode needs one.'),
  },

  oneTimeCode: {
    validityMs: setting('ONE_TIME_CODE_VALIDITY', 'PT10M', duration(1_000), 'How long a code sent by mail is good.'),
    attempts: setting('ONE_TIME_CODE_ATTEMPTS', '5', count(1, 20), 'Wrong guesses after which a code is dead.'),
  },

  evm: evmSettings,
  identity: identitySettings,
  geo: geoSettings,
  legal: legalSettings,

  retention: retentionSettings,
}

/** Beginnings of names that are so plainly ours that an unknown name with one of them must be a slip. */
const ownPrefixes =
  /^(RATE_LIMIT|WEBHOOK_|ONE_TIME_CODE_|IDEMPOTENCY_|CONFIRMATIONS|B2B_|CARD_P|COIN_P|BANK_PAY_|JOB_LEASE|DATABASE_UR|SUMSUB_|EVM_|GEO_D|CAMBIO_[USW]|PAYOUT_A|OPERATOR_T|TERMS_|PRIVACY_)/

/**
 * Everything that an operator decides, read and checked. Times are milliseconds where a name ends in `Ms`.
 * `database.urls` holds what DATABASE_URLS or else DATABASE_URL says, and is empty for the embedded database.
 * `warnings` are sentences for the log: nothing in them stops the service.
 */
export type Config = Choices & { environment: Environment; warnings: string[] }

type Choices = Values<typeof definitions>

const all = settingsOf(definitions)

/** What can be set, for people and for the page that is made of it. An empty default means absent. */
export const settings = all.map(describeSetting)

/** Every setting with its sentence and its default, as text for a terminal. */
export const printSettings = (): string => settings.map(printSetting).join('\n')

/** The settings as they stand are no basis to start on. Its message names all that is wrong, a line each. */
export class ConfigError extends Error {
  constructor(wrong: string[]) {
    super(`These settings are wrong:\n${wrong.map((line) => `  ${line}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/**
 * Reads the environment once. Refuses with a ConfigError that names everything wrong at once, in plain words and
 * without repeating a secret, before anything has started. An empty value counts as absent.
 */
export function readConfig(env: Source = process.env): Config {
  const live = env.MODE === 'live'
  const { values, wrong } = readSettings(definitions, env)
  const { url: single, urls } = values.database
  if (urls.length === 0 && single !== undefined) urls.push(single)

  for (const [name, problem] of [...conflicts(values), ...(live ? liveProblems(values, env) : [])]) {
    if (!wrong.has(name)) wrong.set(name, problem)
  }
  if (wrong.size > 0) throw new ConfigError([...wrong].map(([name, problem]) => `${name}: ${problem}.`))
  return { ...values, environment: environmentOf(values.mode), warnings: warningsAbout(env) }
}

type Problem = [name: string, problem: string]
type Rule = [broken: boolean, ...Problem]

const brokenOf = (rules: Rule[]): Problem[] => rules.filter(([broken]) => broken).map(([, ...problem]) => problem)
function conflicts({ roles, http, identity, evm }: Choices): Problem[] {
  const { port: service, adminPort, processorPort } = http
  const { sumsubAppToken, sumsubSecretKey, sumsubWebhookSecret } = identity
  const sumsub = [sumsubAppToken, sumsubSecretKey, sumsubWebhookSecret].filter((one) => one !== undefined)
  return brokenOf([
    [isKeyless(evm), 'EVM_RPC_URLS', 'goes with EVM_KEYSTORE_FILE and EVM_KEYSTORE_PASSWORD_FILE'],
    [roles.length === 0, 'ROLES', 'a process without a role does nothing'],
    [adminPort > 0 && adminPort === service, 'ADMIN_PORT', 'is the same as PORT'],
    [
      processorPort > 0 && [service, adminPort].includes(processorPort),
      'PROCESSOR_PORT',
      'is taken by another listener',
    ],
    [[1, 2].includes(sumsub.length), 'SUMSUB_APP_TOKEN', 'goes with SUMSUB_SECRET_KEY and SUMSUB_WEBHOOK_SECRET'],
  ])
}

/** What may be played in the sandbox, but not with money. */
function liveProblems(
  { database, http, identity, legal, masterKeyFile, webhooks, mail }: Choices,
  env: Source,
): Problem[] {
  const keyFile = env.MASTER_KEY_FILE
  return brokenOf([
    [database.urls.length === 0, 'DATABASE_URL', 'live mode does not run on the embedded database'],
    [!http.publicUrl?.startsWith('https://'), 'PUBLIC_URL', 'live mode needs one that begins with https://'],
    [!keyFile, 'MASTER_KEY_FILE', 'live mode needs one that you have made and keep a copy of'],
    [Boolean(keyFile) && !existsSync(masterKeyFile), 'MASTER_KEY_FILE', `there is no file ${masterKeyFile}`],
    [webhooks.allowPrivate, 'WEBHOOK_ALLOW_PRIVATE', 'live mode never calls private addresses'],
    [mail.smtpUrl === undefined, 'SMTP_URL', 'live mode needs one: customers get their codes by mail'],
    [mail.from === '', 'MAIL_FROM', 'live mode needs one'],
    [legal.termsUrl === undefined, 'TERMS_URL', 'live mode needs one: customers accept your terms'],
    [
      legal.privacyUrl === undefined,
      'PRIVACY_URL',
      'live mode needs one: customers are told what you do with their data',
    ],
    [Boolean(identity.sumsubAppToken?.startsWith('sbx:')), 'SUMSUB_APP_TOKEN', "is of Sumsub's sandbox (sbx:)"],
  ])
}

function warningsAbout(env: Source): string[] {
  const known = new Set(all.map(({ name }) => name))
  const unknown = Object.keys(env).filter((name) => ownPrefixes.test(name) && !known.has(name))
  const warnings = unknown.map((name) => `${name} is not a setting of this service and is ignored.`)
  if (env.DATABASE_URL && env.DATABASE_URLS) warnings.push('DATABASE_URL is ignored, because DATABASE_URLS is set.')
  return warnings
}
