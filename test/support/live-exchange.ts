import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readConfig } from '../../src/app/config/config.ts'
import { type Service, startService } from '../../src/app/start.ts'
import { createLog } from '../../src/platform/lib/log.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { ourIban } from './camt.ts'
import { entryOf } from './card-exchange.ts'
import { type CommandLine, commandLine } from './command.ts'
import { testDatabase } from './database.ts'
import { startDesk } from './desk.ts'
import { callService, type Exchange } from './exchange.ts'
import { euros, FolderBank } from './folder-bank.ts'
import { type FakeHyperswitch, startHyperswitch } from './hyperswitch.ts'
import { codesIn, mailServer } from './mail-server.ts'
import { startSignerProcess, twoApprovers } from './signer-process.ts'
import { startReceiver, type Receiver, until } from './telling.ts'

/**
 * An exchange with `MODE=live`, as its operator set it up with a file and commands: a bank that exchanges files, Hyperswitch for
 * cards, Ethereum on anvil, three price desks, a mail server, two operators, and a partner with a webhook endpoint.
 */
export type LiveExchange = Pick<Exchange, 'url' | 'service' | 'ownerUrl' | 'dataDir' | 'api'> &
  CommandLine & {
    bank: FolderBank
    cards: FakeHyperswitch
    anvil: Anvil
    /** The database, as the service's role. */
    serviceUrl: string
    /** The wallet that pays out. */
    hot: string
    /** What the partner gets, and the secret of its endpoint. */
    receiver: Receiver
    webhookSecret: string
    /** A customer's browser at an order's checkout, where the e-mail address is proven and the country given. */
    customer(redirectUrl: string, email: string): Promise<Customer>
    /** Ends a halt of the signer as two approvers, once a halt of payouts has reached it. */
    resumeSigner(): Promise<void>
    /** Stops the service, lets `work` happen, and starts it again. */
    whileStopped(work: () => Promise<void>): Promise<void>
    stop(): Promise<void>
  }

/** A browser without a screen: `send` posts a form of the checkout and gives where it leads. */
export type Customer = { send(form: Record<string, string>): Promise<string> }

/** What the exchange owns when it opens. */
const opening = { euros: 10_000_00n, wei: 50n * 10n ** 18n }

/** Others than those of anvil's own accounts, which have coins and are its customers. */
const signerWords = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const approvers = twoApprovers()
const signerPolicy = `
caps:
  - { asset: ETH-ETH, per: transaction, max: "20" }
  - { asset: ETH-ETH, per: P1D, max: "50" }
destinations: { classes: [customer] }
approvers:
${approvers.lines}
`
const publicUrl = 'https://exchange.example'
const ethereum = { 'ETH/EUR': 200_000n }

/** Sets it up and starts it. Only its partner's endpoint is unlike a real one: on this machine, without TLS. */
export async function startLiveExchange(): Promise<LiveExchange> {
  const ends: (() => unknown)[] = []
  const t = { after: (end: () => unknown) => void ends.unshift(end) }
  const folder = mkdtempSync(join(tmpdir(), 'cambio-live-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const anvil = await startAnvil({ mines: true, chainId: 1 })
  t.after(() => anvil.stop())
  const mails = await mailServer()
  t.after(() => mails.close())
  const cards = await startHyperswitch()
  t.after(() => cards.stop())
  const receiver = await startReceiver(t)
  const desks = await Promise.all([1, 2, 3].map(() => startDesk(t, ethereum)))

  const signer = await startSignerProcess(signerPolicy, signerWords)
  t.after(() => signer.remove())

  writeConfiguration(folder, { cards, desks: desks.map(({ url }) => url), node: anvil.url, socket: signer.socket })
  const database = await testDatabase()
  const env = settings(folder, { databaseUrl: database.url, smtpUrl: mails.url })
  const { hot, token, key } = await setUp(env, anvil)
  const staff = { ...env, OPERATOR_TOKEN: token }
  let service = await serve(env)
  t.after(() => service.stop())

  const api: LiveExchange['api'] = (path, asking = {}) => callService(service.url + path, { key, ...asking })
  const endpoint = await api<{ secret: string }>('/v1/webhook-endpoints', { body: { url: receiver.url } })
  assert.equal(endpoint.status, 201, JSON.stringify(endpoint.body))

  const codeAfter = async (count: number): Promise<string> => {
    await until(() => codesIn(mails.mails).length > count, 'the e-mail with the code')
    return codesIn(mails.mails).at(-1) ?? ''
  }
  return {
    get url() {
      return service.url
    },
    get service() {
      return service
    },
    ownerUrl: database.ownerUrl,
    serviceUrl: database.url,
    dataDir: folder,
    api,
    ...commandLine(staff),
    bank: new FolderBank(join(folder, 'bank'), opening.euros),
    cards,
    anvil,
    hot,
    receiver,
    webhookSecret: endpoint.body.secret,
    customer: async (redirectUrl, email) => {
      const customer = browserAt(redirectUrl.replace(publicUrl, service.url))
      const count = codesIn(mails.mails).length
      await customer.send({ do: 'email', email })
      await customer.send({ do: 'code', code: await codeAfter(count), accepts: '1 1' })
      await customer.send({ do: 'country', country: 'NL' })
      return customer
    },
    resumeSigner: () => approvers.resume(signer.client),
    whileStopped: async (work) => {
      await service.stop()
      await work()
      service = await serve(env)
    },
    stop: async () => {
      for (const end of ends) await end()
    },
  }
}

function writeConfiguration(
  folder: string,
  { cards, desks, node, socket }: { cards: FakeHyperswitch; desks: string[]; node: string; socket: string },
): void {
  for (const part of ['in', 'out']) mkdirSync(join(folder, 'bank', part), { recursive: true })
  writeFileSync(join(folder, 'master.key'), `${'5a'.repeat(32)}\n`, { mode: 0o600 })
  writeFileSync(
    join(folder, 'config.yaml'),
    `company: { name: Example Ltd, address: "1 Street, City", license: VASP 123, support: help@example.com }
markets:
  minimum_sources: 2
  sources:
${desks.map((url, index) => `    - { kind: http-json, name: desk-${index + 1}, url: "${url}/books", every: PT0.2S }\n`).join('')}
rails:
  - { kind: iso20022, name: bank-1, in: ./bank/in, out: ./bank/out, every: PT0.2S, serves: [SEPA],
      accounts: [{ currency: EUR, iban: ${ourIban}, bic: BYLADEM1001, holder: Example Ltd }] }
${entryOf(folder, cards, 'cards')}
  - { kind: evm, name: evm-eth, network: ETH, chain_id: 1, nodes: ["${node}", "${node}"], every: PT0.2S }
custody: { signer: { socket: "${socket}" } }
`,
  )
}

const settings = (folder: string, to: { databaseUrl: string; smtpUrl: string }) => ({
  MODE: 'live',
  DATABASE_URL: to.databaseUrl,
  DATA_DIR: folder,
  MASTER_KEY_FILE: join(folder, 'master.key'),
  CONFIG_FILE: join(folder, 'config.yaml'),
  PUBLIC_URL: publicUrl,
  SMTP_URL: to.smtpUrl,
  MAIL_FROM: 'Exchange <exchange@example.com>',
  TERMS_URL: `${publicUrl}/terms-of-use`,
  PRIVACY_URL: `${publicUrl}/privacy-notice`,
  CONFIRMATIONS: 'ETH=2',
  PORT: '0',
  LOG_LEVEL: 'error',
  DB_POOL_SIZE: '6',
})

/** What the operator does before the first start: the wallet, the opening balances, people, a partner, a copy of the key. */
async function setUp(env: Record<string, string>, anvil: Anvil): Promise<{ hot: string; token: string; key: string }> {
  const run = async (...args: string[]): Promise<string> => {
    const { exitCode, out, err } = await commandLine(env).cambio(...args)
    assert.equal(exitCode, 0, `${args.join(' ')}\n${out}${err}`)
    return out
  }
  await run('config', 'check')
  const [hot = ''] = /0x[0-9a-fA-F]{40}/.exec(await run('keystore', 'show')) ?? []
  await anvil.give(hot, opening.wei)
  await anvil.mine(2)
  const own = ['--reason', 'our own money']
  await run('balance', 'open', '--account', 'evm-eth', '--asset', 'ETH-ETH', '--amount', '50', ...own)
  await run('balance', 'open', '--account', 'bank-1', '--asset', 'EUR-EUR', '--amount', euros(opening.euros), ...own)
  await run('backup', 'confirm', 'key', env.MASTER_KEY_FILE ?? '')
  await run('operator', 'create', 'ann@example.com')
  const { token } = JSON.parse(await run('operator', 'token', 'ann@example.com', '--json')) as { token: string }
  const { secret_key: key } = JSON.parse(await run('partner', 'create', 'Example Shop', '--json')) as {
    secret_key: string
  }
  return { hot, token, key }
}

async function serve(env: Record<string, string>): Promise<Service> {
  const config = readConfig(env)
  const here = {
    ...config,
    environment: { ...config.environment, httpsWebhooksOnly: false },
    webhooks: { ...config.webhooks, allowPrivate: true, ports: [] },
  }
  const service = await startService(here, createLog(config.logLevel))
  await until(async () => (await fetch(`${service.url}/v1/status`)).status === 200, 'the exchange to take orders')
  return service
}

function browserAt(page: string): Customer {
  let cookie = ''
  return {
    send: async (form) => {
      const headers = { cookie, origin: publicUrl }
      const body = new URLSearchParams(form)
      const answer = await fetch(page, { method: 'POST', redirect: 'manual', headers, body })
      assert.equal(answer.status, 303, await answer.text())
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
      return answer.headers.get('location') ?? ''
    },
  }
}
