import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

import { ConfigError, printSettings, readConfig, settingProblems, settings } from './config.ts'
import { projectRoot } from '../../platform/lib/root.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-config-'))
after(() => rmSync(folder, { recursive: true }))
const companyOnly = join(folder, 'config.yaml')
writeFileSync(companyOnly, 'company: { name: Example Ltd, address: "1 Street, City", support: help@example.com }\n')

/** A live environment with nothing wrong; `change` makes it wrong. */
const live = (change: Record<string, string | undefined> = {}) => ({
  MODE: 'live',
  DATABASE_URL: 'postgres://owner:hunter2@db.example.com/cambio?sslmode=verify-full',
  CONFIG_FILE: companyOnly,
  PUBLIC_URL: 'https://exchange.example.com',
  MASTER_KEY_FILE: join(projectRoot, 'package.json'),
  SMTP_URL: 'smtps://mailer:hunter2@mail.example.com',
  MAIL_FROM: 'Exchange <exchange@example.com>',
  TERMS_URL: 'https://exchange.example.com/terms-of-use',
  PRIVACY_URL: 'https://exchange.example.com/privacy-notice',
  ...change,
})

/** The names that a refusal complains about. */
function wrongIn(env: Record<string, string | undefined>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return [...new Set([...error.message.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name))]
  }
}

test('an invalid token is refused and not repeated', () => {
  assert.throws(
    () => readConfig({ OPERATOR_TOKEN: 'op_hunter2' }),
    (error) => error instanceof ConfigError && /OPERATOR_TOKEN/.test(error.message) && !/hunter2/.test(error.message),
  )
})

test('nothing set at all is a sandbox on this machine, with the embedded database', () => {
  const config = readConfig({})
  assert.equal(config.mode, 'sandbox')
  assert.deepEqual(config.roles, ['api', 'worker', 'rates'])
  assert.deepEqual(config.database.urls, [])
  assert.equal(config.dataDir, join(projectRoot, '.cambio'))
  assert.equal(config.masterKeyFile, join(projectRoot, '.cambio', 'master.key'))
  assert.equal(config.http.host, '127.0.0.1')
  assert.deepEqual([config.http.port, config.http.adminPort, config.http.processorPort], [3000, 3001, 3002])
  assert.equal(config.webhooks.allowPrivate, true)
  assert.equal(config.b2b.coolingOffMs, 0)
  assert.deepEqual(config.warnings, [])
})

test('retries are those of the specification', () => {
  const { webhooks, http } = readConfig({})
  assert.equal(webhooks.timeoutMs, 15_000)
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * 3_600)
  assert.deepEqual(webhooks.retrySeconds, [5, 300, 1_800, ...hours])
  assert.equal(http.bodyLimitBytes, 262_144)
})

test('everything wrong is reported at once', () => {
  const wrong = {
    MODE: 'prod',
    ROLES: 'api,cook',
    PORT: '65536',
    DATABASE_URL: 'mysql://db',
    PUBLIC_URL: 'https://example.com/path',
    STALE_PRICE_AFTER: '30 minutes',
    RATE_LIMITS: 'perhaps',
    RATE_LIMIT_KEY_BURST: '0',
    TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/33',
    CONFIRMATIONS: 'BTC=3,btc=4',
    WEBHOOK_RETRY_SECONDS: '5,-1',
    LOG_LEVEL: 'loud',
    SMTP_URL: 'http://mail',
  }
  assert.deepEqual(wrongIn(wrong).toSorted(), Object.keys(wrong).toSorted())
})

test('a value that was refused is shown, unless it may hold a password', () => {
  assert.throws(() => readConfig({ PORT: 'http' }), /PORT: "http" is not a whole number from 0 to 65535\./)
  for (const name of ['DATABASE_URL', 'DATABASE_URLS', 'SMTP_URL']) {
    assert.throws(
      () => readConfig({ [name]: 'user:hunter2@host' }),
      (error) => error instanceof ConfigError && error.message.includes(name) && !error.message.includes('hunter2'),
    )
  }
})

/** The same, without the parts of CONFIG_FILE that are reported as missing where something else is wrong. */
const wrongLive = (change: Record<string, string | undefined> = {}): string[] =>
  wrongIn(live(change)).filter((name) => name !== 'CONFIG_FILE')

test('live mode refuses what only a sandbox may do', () => {
  assert.deepEqual(wrongLive(), [])
  assert.deepEqual(wrongIn({ MODE: 'live' }).toSorted(), Object.keys(live()).slice(1).toSorted())
  assert.deepEqual(wrongLive({ PUBLIC_URL: 'http://exchange.example.com' }), ['PUBLIC_URL'])
  assert.deepEqual(wrongLive({ WEBHOOK_ALLOW_PRIVATE: '1' }), ['WEBHOOK_ALLOW_PRIVATE'])
  assert.deepEqual(wrongLive({ MASTER_KEY_FILE: '/no/such/file' }), ['MASTER_KEY_FILE'])
  assert.deepEqual(wrongLive({ DATABASE_URL: '' }), ['DATABASE_URL'])
  const hosts = ['a', 'b'].map((host) => `postgres://${host}/c?sslmode=verify-full`)
  assert.deepEqual(wrongLive({ DATABASE_URL: '', DATABASE_URLS: hosts.join() }), [])
  assert.deepEqual(wrongLive({ DATABASE_URL: '', DATABASE_URLS: `${hosts[0]},postgres://b/c` }), ['DATABASE_URLS'])
  for (const mode of ['disable', 'prefer', 'no-verify', 'require&uselibpqcompat=true']) {
    assert.deepEqual(wrongLive({ DATABASE_URL: `postgres://db.example.com/c?sslmode=${mode}` }), ['DATABASE_URL'], mode)
  }
  for (const here of ['127.0.0.1', 'localhost', '[::1]', '%2Frun%2Fpostgresql']) {
    assert.deepEqual(wrongLive({ DATABASE_URL: `postgres://${here}/c` }), [], here)
  }
  assert.deepEqual(wrongLive({ SMTP_URL: 'smtp://mail.example.com?ignoreTLS=true' }), ['SMTP_URL'])
  const oneNode = { EVM_RPC_URLS: 'ETH=http://127.0.0.1:8545', ...companions.EVM_RPC_URLS }
  assert.deepEqual(wrongLive(oneNode), ['EVM_RPC_URLS', 'EVM_KEYSTORE_FILE'])
  assert.deepEqual(wrongIn(live({ CONFIG_FILE: '' })), ['CONFIG_FILE'])
})

test('live mode refuses keys inside the service, and says where they belong', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-live-keys-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const evm = '{ kind: evm, name: eth, network: ETH, nodes: ["http://127.0.0.1:1", "http://127.0.0.1:2"] }'
  const bitcoin = (keys: string) => `{ kind: bitcoin, name: btc, nodes: ["http://127.0.0.1:1"]${keys} }`
  const keys = ', keys: { file: ./btc.keystore, password: "env:PATH" }'
  const signer = '\ncustody: { signer: { socket: ./signer.sock } }'
  const complaints = (content: string, env: Record<string, string> = {}) => {
    writeFileSync(join(folder, 'config.yaml'), `rails: [${content}`)
    try {
      readConfig(live({ CONFIG_FILE: join(folder, 'config.yaml'), ...env }))
    } catch (error) {
      return error instanceof ConfigError ? error.message : ''
    }
    return ''
  }
  assert.match(complaints(`${bitcoin(keys)}]`), /puts the keys of the rail btc inside the service: .* custody\.signer/)
  assert.match(complaints(`${evm}]`), /needs custody\.signer for rails of the kind evm/)
  assert.match(
    complaints(`${evm}]${signer}`, companions.EVM_RPC_URLS),
    /EVM_KEYSTORE_FILE: puts keys inside .* evm\.keystore/,
  )
  assert.doesNotMatch(complaints(`${evm}, ${bitcoin('')}]${signer}`), /inside the service|custody\.signer/)
})

test('the report of a live environment with everything wrong names what is not configured, too', () => {
  assert.throws(
    () => readConfig({ MODE: 'live' }),
    (error) => {
      assert.ok(error instanceof ConfigError)
      for (const part of ['section company', 'needs rails', 'section markets'])
        assert.match(error.message, new RegExp(part))
      return true
    },
  )
})

test('`config check` reports the environment that the file is used in', () => {
  assert.deepEqual(settingProblems(companyOnly, live()), [])
  const names = settingProblems(companyOnly, { MODE: 'live', PORT: 'http' }).map(([name]) => name)
  for (const name of ['PORT', 'DATABASE_URL', 'SMTP_URL', 'MASTER_KEY_FILE']) assert.ok(names.includes(name), name)
  assert.deepEqual(settingProblems(undefined, {}), [])
})

test('live mode has the careful defaults', () => {
  const config = readConfig(live())
  assert.equal(config.webhooks.allowPrivate, false)
  assert.equal(config.b2b.coolingOffMs, 86_400_000)
})

test('port 0 asks for further free ports, unless those are set', () => {
  const { port, adminPort, processorPort } = readConfig({ PORT: '0', ADMIN_PORT: '9000' }).http
  assert.deepEqual([port, adminPort, processorPort], [0, 9000, 0])
  const derived = readConfig({ PORT: '8080' }).http
  assert.deepEqual([derived.adminPort, derived.processorPort], [8081, 8082])
})

test('two listeners on one port are refused', () => {
  assert.deepEqual(wrongIn({ ADMIN_PORT: '3000' }), ['ADMIN_PORT'])
  assert.deepEqual(wrongIn({ PROCESSOR_PORT: '3001' }), ['PROCESSOR_PORT'])
  assert.deepEqual(wrongIn({ PORT: '3001', ADMIN_PORT: '3000', PROCESSOR_PORT: '3000' }), ['PROCESSOR_PORT'])
})

test('several databases win over one, and that is said', () => {
  const one = 'postgres:///cambio?host=/run/postgresql'
  assert.deepEqual(readConfig({ DATABASE_URL: one }).database.urls, [one])
  const several = readConfig({ DATABASE_URL: one, DATABASE_URLS: 'postgresql://a/c, postgresql://u@/c?host=/b' })
  assert.deepEqual(several.database.urls, ['postgresql://a/c', 'postgresql://u@/c?host=/b'])
  assert.match(several.warnings.join(), /DATABASE_URL is ignored/)
})

test('a slip in a name that is plainly ours is pointed out, and nothing else is', () => {
  const { warnings } = readConfig({
    RATE_LIMIT_FOO: '1',
    WEBHOOK_TIMEOUTS: 'PT1S',
    HOME: '/',
    PORTS: '1',
    JOB_NAME: 'x',
  })
  assert.deepEqual(warnings, [
    'RATE_LIMIT_FOO is not a known setting and is ignored.',
    'WEBHOOK_TIMEOUTS is not a known setting and is ignored.',
  ])
})

test('a secret can be in a file, which is named instead, and what is wrong with that is said without the secret', () => {
  const url = 'postgres://cambio_service:hunter2@db.example.com/cambio?sslmode=verify-full'
  const file = join(folder, 'database-url')
  writeFileSync(file, `${url}\n`)
  const inFile = { DATABASE_URL: undefined, DATABASE_URL_FILE: file }
  const { database, warnings } = readConfig(live(inFile))
  assert.deepEqual([database.urls, warnings], [[url], []])
  assert.deepEqual(wrongLive({ ...inFile, DATABASE_URL: url }), ['DATABASE_URL'])
  assert.deepEqual(wrongLive({ ...inFile, DATABASE_URL_FILE: '/nowhere' }), ['DATABASE_URL'])
  assert.deepEqual(wrongLive({ ...inFile, DATABASE_URL_FILE: companyOnly }), ['DATABASE_URL'])
  assert.deepEqual(wrongIn({ MODE_FILE: file }), ['MODE'])
})

test('an empty value counts as absent', () => {
  assert.deepEqual(readConfig(Object.fromEntries(settings.map(({ name }) => [name, '']))), readConfig({}))
})

test('values are read in the forms that people write', () => {
  const config = readConfig({
    RATE_LIMITS: 'OFF',
    WEBHOOK_ALLOW_PRIVATE: '1',
    TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8, 192.0.2.7',
    CONFIRMATIONS: 'btc=3, ETH = 64',
    PUBLIC_URL: 'http://localhost:3000/',
    WEBHOOK_RETRY_SECONDS: '1',
  })
  assert.equal(config.rateLimits.on, false)
  assert.equal(config.webhooks.allowPrivate, true)
  assert.deepEqual(config.http.trustedProxies, ['10.0.0.0/8', 'fd00::/8', '192.0.2.7'])
  assert.deepEqual(config.confirmations, { BTC: 3, ETH: 64 })
  assert.equal(config.http.publicUrl, 'http://localhost:3000')
  assert.deepEqual(config.webhooks.retrySeconds, [1])
})

/** What a setting does not go without. */
const companions: Record<string, Record<string, string>> = {
  EVM_RPC_URLS: { EVM_KEYSTORE_FILE: '/keys', EVM_KEYSTORE_PASSWORD_FILE: '/password' },
}

test('every setting is listed once, with a sentence, and its default or example is valid', () => {
  const names = settings.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)])
  for (const { name, sentence, example } of settings) {
    assert.match(sentence, /^[A-Z].*\.$/, name)
    if (example !== '') assert.deepEqual(wrongIn({ ...companions[name], [name]: example }), [], name)
    assert.ok(printSettings().includes(`${name}\n    ${sentence}\n`), name)
  }
})

test('bank accounts are read from a file, checked, and kept in canonical form', (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'cambio-accounts-')), 'accounts.json')
  t.after(() => rmSync(dirname(file), { recursive: true }))
  const account = { category: 'SEPA', currency: 'EUR', holder: 'Example AG', account: 'DE89 3704 0044 0532 0130 00' }
  const whole = { ...account, bic: 'COBADEFFXXX', bank: 'Example Bank' }
  const read = (list: unknown) => {
    writeFileSync(file, JSON.stringify(list))
    return readConfig({ BANK_ACCOUNTS_FILE: file }).bank.accounts
  }
  assert.deepEqual(read([whole]), [{ ...whole, account: 'DE89370400440532013000' }])
  assert.equal(readConfig({}).bank.accounts, undefined)
  for (const wrong of [
    {},
    [],
    ['DE89'],
    [{ ...whole, category: 'VISA_MC' }],
    [{ ...whole, currency: 'BTC' }],
    [{ ...whole, holder: '' }],
    [{ ...whole, account: 'DE88370400440532013000' }],
  ])
    assert.throws(() => read(wrong), /BANK_ACCOUNTS_FILE/, JSON.stringify(wrong))
  assert.deepEqual(wrongIn({ BANK_ACCOUNTS_FILE: '/nowhere/accounts.json' }), ['BANK_ACCOUNTS_FILE'])
})
