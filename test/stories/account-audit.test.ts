import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { commands } from '../../src/app/commands/catalog.ts'
import { readUsage } from '../../src/doors/commands/usage.ts'
import { setPartner, switchFeature } from '../../src/exchange/partners/change.ts'
import { type CommandLine, commandLineOf } from '../support/command.ts'
import { actionOf, contains, type Fields, others } from '../support/audited-commands.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { until } from '../support/telling.ts'

type Entry = {
  entry: string
  at: string
  actor: string
  action: string
  subject: string
  by_action: string | null
  before: Fields
  after: Fields
}

/** What earlier changes have made, for those that come after them. */
type Made = { partner: string; key: string; endpoint: string; address: string; secrets: string[] }

/** One command that changes something of an account, and what the audit must say of it. */
type Change = {
  command: string
  args: (made: Made) => string[]
  /** Of `action` and `subject`, and parts of `before` and `after`; null is nothing at all. */
  action: string
  subject: (made: Made) => string
  before: Fields | null
  after: Fields | null
}

let exchange: Exchange
let cambio: CommandLine['cambio']
let told: CommandLine['told']
let files: string
const made: Made = { partner: '', key: '', endpoint: '', address: '', secrets: [] }
const signing = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()

before(async () => {
  exchange = await startExchange()
  ;({ cambio, told } = commandLineOf(exchange))
  files = await mkdtemp(join(tmpdir(), 'cambio-audit-'))
  await writeFile(join(files, 'fees'), '{"commission_percent": "0.5"}')
  await writeFile(join(files, 'signing_key'), signing)
})
after(async () => {
  await exchange.stop()
  await rm(files, { recursive: true })
})

const ofPartner = ({ partner }: Made): string => `partner:${partner}`
const ofKey = ({ key }: Made): string => `key:${key}`
const ofEndpoint = ({ endpoint }: Made): string => `endpoint:${endpoint}`
const ofAddress = ({ address }: Made): string => `payout_address:${address}`
const url = 'http://127.0.0.1:9/told'

/** Every command that changes an account, in an order in which they can be done. */
const changes: Change[] = [
  {
    command: 'partner create',
    args: () => ['Audited'],
    action: 'partner.created',
    subject: ofPartner,
    before: null,
    after: { name: 'Audited' },
  },
  {
    command: 'partner set',
    args: ({ partner }) => ['--partner', partner, 'slippage_percent=3', `signing_key=${join(files, 'signing_key')}`],
    action: 'partner.changed',
    subject: ofPartner,
    before: { slippageBasisPoints: null, signingKey: null },
    after: { slippageBasisPoints: 300, signingKey: signing },
  },
  {
    command: 'partner disable',
    args: ({ partner }) => ['--partner', partner, '--reason', 'Their contract has ended.'],
    action: 'partner.disabled',
    subject: ofPartner,
    before: { disabledAt: null },
    after: { reason: 'Their contract has ended.' },
  },
  {
    command: 'partner enable',
    args: ({ partner }) => ['--partner', partner, '--reason', 'A new contract.'],
    action: 'partner.enabled',
    subject: ofPartner,
    before: {},
    after: { disabledAt: null, reason: 'A new contract.' },
  },
  {
    command: 'feature on',
    args: ({ partner }) => ['b2b', '--partner', partner],
    action: 'feature.switched_on',
    subject: ofPartner,
    before: { features: { b2b: false } },
    after: { features: { b2b: true } },
  },
  {
    command: 'feature off',
    args: ({ partner }) => ['b2b', '--partner', partner],
    action: 'feature.switched_off',
    subject: ofPartner,
    before: { features: { b2b: true } },
    after: { features: { b2b: false } },
  },
  {
    command: 'key rotate-widget',
    args: ({ partner }) => ['--partner', partner],
    action: 'partner.widget_secret_rotated',
    subject: ofPartner,
    before: {},
    after: {},
  },
  {
    command: 'key create',
    args: ({ partner }) => ['--partner', partner, '--kind', 'secret', '--label', 'ci'],
    action: 'key.created',
    subject: ofKey,
    before: null,
    after: { kind: 'secret', label: 'ci', allow_ips: [], expires_at: null, revoked_at: null },
  },
  {
    command: 'key set',
    args: ({ key }) => [key, '--allow-ip', '192.0.2.7,2001:db8::/32', '--expires', '2099-01-31'],
    action: 'key.changed',
    subject: ofKey,
    before: { label: 'ci', allow_ips: [], expires_at: null },
    after: { label: 'ci', allow_ips: ['192.0.2.7', '2001:db8::/32'], expires_at: '2099-01-31T00:00:00.000Z' },
  },
  {
    command: 'key revoke',
    args: ({ key }) => [key],
    action: 'key.revoked',
    subject: ofKey,
    before: { label: 'ci', revoked_at: null },
    after: { label: 'ci' },
  },
  {
    command: 'webhook add',
    args: ({ partner }) => [url, '--partner', partner],
    action: 'endpoint.added',
    subject: ofEndpoint,
    before: null,
    after: { url },
  },
  {
    command: 'webhook set',
    args: ({ endpoint }) => [endpoint, 'types=transaction.created', 'rate=20', 'ordered=off'],
    action: 'endpoint.changed',
    subject: ofEndpoint,
    before: { rate_limit: null, ordered: true },
    after: { types: ['transaction.created'], rate_limit: 20, ordered: false },
  },
  {
    command: 'webhook pause',
    args: ({ endpoint }) => [endpoint],
    action: 'endpoint.changed',
    subject: ofEndpoint,
    before: { status: 'active' },
    after: { status: 'paused' },
  },
  {
    command: 'webhook resume',
    args: ({ endpoint }) => [endpoint],
    action: 'endpoint.changed',
    subject: ofEndpoint,
    before: { status: 'paused' },
    after: { status: 'active' },
  },
  {
    command: 'webhook rotate',
    args: ({ endpoint }) => [endpoint],
    action: 'endpoint.secret_rotated',
    subject: ofEndpoint,
    before: {},
    after: {},
  },
  {
    command: 'webhook remove',
    args: ({ endpoint }) => [endpoint],
    action: 'endpoint.removed',
    subject: ofEndpoint,
    before: { url },
    after: null,
  },
  {
    command: 'b2b reject',
    args: ({ address }) => [address, '--reason', 'not known'],
    action: 'payout_address.rejected',
    subject: ofAddress,
    before: { status: 'pending_review' },
    after: { status: 'rejected', reason: 'not known' },
  },
  {
    command: 'b2b approve',
    args: ({ address }) => [address],
    action: 'payout_address.approved',
    subject: ofAddress,
    before: { status: 'rejected', approved: false },
    after: { approved: true },
  },
  {
    command: 'b2b disable',
    args: ({ address }) => [address],
    action: 'payout_address.disabled',
    subject: ofAddress,
    before: { approved: true },
    after: { status: 'disabled' },
  },
]

/** Remembers what a command has made, and every secret that it showed. */
function remember(command: string, shown: Fields): void {
  if (command === 'partner create') made.partner = String(shown.partner_id)
  if (command === 'key create') made.key = String(shown.id)
  if (command === 'webhook add') made.endpoint = String(shown.id)
  const secret = ['public_key', 'secret_key', 'widget_secret', 'webhook_secret', 'key', 'secret']
  made.secrets.push(...secret.flatMap((name) => (typeof shown[name] === 'string' ? [shown[name]] : [])))
}

/** Registers a wallet of the partner's, as it would itself: over the interface. */
async function registered(): Promise<string> {
  await setPartner(exchange.service.composition.ctx, BigInt(made.partner), { b2b_approval: 'on' }, 'test')
  await switchFeature(exchange.service.composition.ctx, BigInt(made.partner), { feature: 'b2b', on: true }, 'test')
  const [, key = ''] = made.secrets
  const body = {
    label: 'own',
    currency: 'BTC',
    network: 'BTC',
    wallet_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  }
  let id: unknown
  await until(async () => {
    const told = await exchange.api('/v1/b2b/add-crypto-wallet', { key, body })
    id = told.body.id
    return told.status < 300
  }, 'a registered address')
  return String(id)
}

test('every command either changes no account, or is in the table of those that are audited', () => {
  const audited = new Set(changes.map(({ command }) => command))
  for (const command of commands) {
    const name = readUsage(command).name.join(' ')
    assert.ok(audited.has(name) !== others.has(name), `${name} must be in one of the two`)
  }
})

test('every change is in the audit: who, when, what, by which action, before and after', async () => {
  for (const { command, args, action, subject, before, after } of changes) {
    if (command === 'b2b reject') made.address = await registered()
    const begun = exchange.service.composition.ctx.clock.now().toISOString()
    remember(command, await told<Fields>(...command.split(' '), ...args(made)))
    const ended = exchange.service.composition.ctx.clock.now().toISOString()

    const [entry] = await told<Entry[]>('audit', 'list', '--partner', made.partner, '--limit', '1')
    assert.ok(entry, command)
    assert.deepEqual([entry.action, entry.subject], [action, subject(made)], command)
    assert.equal(entry.by_action, actionOf(command), command)
    assert.equal(entry.actor, `cli:${userInfo().username}`)
    assert.ok(entry.at >= begun && entry.at <= ended, `${command}: ${entry.at}`)
    contains(entry.before, before, `${command}: before`)
    contains(entry.after, after, `${command}: after`)
  }
})

test('the audit of a partner is whole, newest first, page by page, and nothing of another partner', async () => {
  const list = (...args: string[]) => told<Entry[]>('audit', 'list', '--partner', made.partner, ...args)
  const all = await list()
  assert.deepEqual(
    all.filter(({ actor }) => actor.startsWith('cli:')).map(({ action }) => action),
    changes.map(({ action }) => action).toReversed(),
  )
  const first = await list('--limit', '4')
  assert.deepEqual([...first, ...(await list('--before', first.at(-1)?.entry ?? ''))], all)
  const everything = await told<Entry[]>('audit', 'list')
  assert.ok(everything.length > all.length)
  assert.deepEqual((await cambio('audit', 'list', '--limit', '0')).exitCode, 2)
  assert.deepEqual((await cambio('audit', 'list', '--partner', '1')).exitCode, 1)
})

test('no secret and no text of a key is in the audit', async () => {
  assert.equal(made.secrets.length, 8)
  const { out } = await cambio('audit', 'list', '--json', '--limit', '1000')
  for (const secret of made.secrets) {
    assert.ok(!out.includes(secret.replace(/^(whsec|[ps]k_test)_/, '')), `${secret.slice(0, 8)}...`)
  }
})
